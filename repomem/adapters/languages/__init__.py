"""Source files, by language: outlines, chunks, references and fingerprints. Pure."""
