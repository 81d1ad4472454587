"""Short digests for names and cache keys; they protect nothing."""

from hashlib import blake2b


def short_digest(text: str | bytes) -> str:
    """16 hex digits that identify a text, or the bytes of a path."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return blake2b(data, digest_size=8).hexdigest()
