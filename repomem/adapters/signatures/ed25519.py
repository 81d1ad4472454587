"""Sign bytes and verify signatures by ed25519 (RFC 8032), which gives equal bytes the same signature.

A signature is text: the public key and the signature, each in URL-safe base64 without padding.
"""

import base64
import binascii

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SEPARATOR = "."


def signed(seed: bytes, data: bytes) -> str:
    """The signature of `data` by the key that 32 random bytes give."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    return f"{_text(key.public_key().public_bytes_raw())}{SEPARATOR}{_text(key.sign(data))}"


def key_of(signature: str) -> str:
    """The public key in a signature."""
    return signature.partition(SEPARATOR)[0]


def is_valid(signature: str, data: bytes) -> bool:
    """Whether the key in the signature signed `data`."""
    key, _, rest = signature.partition(SEPARATOR)
    try:
        Ed25519PublicKey.from_public_bytes(_bytes(key)).verify(_bytes(rest), data)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return _text(_bytes(key)) == key  # one key has one name


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
