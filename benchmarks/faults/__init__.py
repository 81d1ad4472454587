"""Commands of which one system call fails: what fails it, where they run, and what must be so afterwards."""
