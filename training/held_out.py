"""Pairs from packages that training never saw: a function by its documentation among 1,000 of its language."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.pairs import Pair, body_key, file_of, read

CANDIDATES = 1_000
DEPTH = 10
SEED = 5
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

# Chosen before the first training, a few of each language, none of a family that is in training.
HELD_OUT = frozenset(
    {
        "pypi:falcon",
        "pypi:kombu",
        "pypi:networkx",
        "pypi:luigi",
        "npm:mongoose",
        "npm:webpack",
        "npm:ol",
        "npm:prosemirror-view",
        "npm:maplibre-gl",
        "npm:typeorm",
        "debian:golang-github-miekg-dns-dev",
        "debian:golang-github-go-git-go-git-dev",
        "debian:golang-github-shirou-gopsutil-dev",
        "debian:golang-github-minio-minio-go-v7-dev",
        "debian:librust-rustls-dev",
        "debian:librust-image-dev",
        "debian:librust-git2-dev",
        "debian:ruby-sequel",
        "debian:ruby-mail",
        "debian:ruby-net-ssh",
        "debian:ruby-mongo",
        "debian:yard",
        "debian:php-sabre-dav",
        "debian:php-doctrine-orm",
        "debian:php-phpseclib",
        "debian-source:libjoda-time-java",
        "debian-source:ant",
        "debian-source:apache-log4j2",
        "npm:react-native-maps",
        "npm:@stripe/stripe-react-native",
        "debian-source:libsodium",
        "debian-source:mbedtls",
        "debian-source:libevent",
        "debian-source:box2d",
        "debian-source:haskell-conduit",
        "debian-source:haskell-servant",
    }
)


def is_held_out(key: str) -> bool:
    """Whether a package is for measuring alone."""
    return key in HELD_OUT


def held_out_pairs(folder: Path, most: int = CANDIDATES) -> dict[str, list[Pair]]:
    """Documentation with its function, up to `most` of each language, where a language has at least a third of that."""
    found: dict[str, dict[str, Pair]] = {}
    for key in sorted(HELD_OUT):
        path = file_of(key, folder)
        for pair in read(path) if path.exists() else ():
            if pair.kind == "doc":
                found.setdefault(_family(pair.language), {}).setdefault(body_key(pair.code), pair)
    dice = random.Random(SEED)
    every = {
        language: list({pair.query: pair for pair in pairs.values()}.values()) for language, pairs in found.items()
    }
    return {
        language: dice.sample(pairs, min(most, len(pairs)))
        for language, pairs in sorted(every.items())
        if len(pairs) >= CANDIDATES // 3
    }


def retrieval(pairs: Sequence[Pair], embed: Embed) -> tuple[float, float]:
    """Mean reciprocal rank and recall at 10 of each question's own code among the code of all."""
    similar = embed([pair.query for pair in pairs]) @ embed([pair.code for pair in pairs]).T
    own = np.diagonal(similar)[:, None]
    ranks = (similar > own).sum(axis=1) + ((similar == own).sum(axis=1) + 1) / 2  # ties share their places
    return float((1 / ranks).mean()), float((ranks <= DEPTH).mean())


def _family(language: str) -> str:
    return "typescript" if language == "tsx" else language
