"""What several tests share: repositories, samples, command lines, servers."""
