"""Signatures of records, by ed25519 of the library `cryptography`."""
