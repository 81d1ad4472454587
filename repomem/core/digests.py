"""Short digests for names and cache keys; they protect nothing."""

from hashlib import blake2b


def short_digest(text: str | bytes, size: int = 8) -> str:
    """`size` bytes in hex digits that identify a text, or bytes such as a path's."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return blake2b(data, digest_size=size).hexdigest()
