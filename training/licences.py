"""The licence of a package as its own metadata states it, and whether it is permissive."""

import json
import re
from pathlib import Path

from training.archives import Archive

_PERMISSIVE = re.compile(
    r"\b(mit|expat|x11|bsd|0bsd|apache|isc|psf|python software foundation|zlib|unlicense|unicode|boost|bsl-1|hpnd|"
    r"public[ -]domain|postgresql|cc0|wtfpl|ofl|blueoak)\b|^mit|^bsd|^apache|^python|^go$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"gpl|mpl|mozilla|epl|eclipse|cddl|artistic|proprietary|non-?commercial|sspl|busl|elastic", re.IGNORECASE
)
_TOP_FILE = re.compile(r"^(licen[sc]e|copying|copyright)[^/]*$", re.IGNORECASE)
_WORDINGS = (  # the first that is found counts; those that bind come first
    ("GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"),
    ("GNU GENERAL PUBLIC LICENSE", "GPL"),
    ("Mozilla Public License", "MPL"),
    ("Eclipse Public License", "EPL"),
    ("COMMON DEVELOPMENT AND DISTRIBUTION LICENSE", "CDDL"),
    ("Apache License", "Apache-2.0"),
    ("Redistribution and use in source and binary forms", "BSD"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("Permission to use, copy, modify, and", "ISC"),
)
_EITHER = re.compile(r"\s+or\s+|\s*\|\s*|/", re.IGNORECASE)
_EVERY_FILE = re.compile(r"^Files:\s*\*\s*$", re.MULTILINE)
_LICENCE = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)


def permissive(licence: str) -> bool:
    """Whether one of the alternatives that a licence leaves us is permissive."""
    choices = _EITHER.split(licence.strip("() "))
    return any(_PERMISSIVE.search(choice) and not _OTHER.search(choice) for choice in choices)


def licence_of(archive: Archive, packaging: Path | None) -> str:
    """The licence as stated; empty where there is no statement.

    By the registry's form: `package.json`, a wheel's METADATA, or Debian's copyright file, there of `Files: *`; where
    that is missing, by the wording of the licence file at the top of the sources.
    """
    if archive.has("package.json"):
        return _of_package_json(archive.text("package.json"))
    metadata = archive.first(".dist-info/METADATA")
    if metadata:
        return _of_metadata(metadata)
    stated = _of_copyright(Archive(packaging).first("debian/copyright") if packaging else archive.first("/copyright"))
    return stated or _of_texts(archive)


def _of_package_json(text: str) -> str:
    stated = json.loads(text).get("license") or json.loads(text).get("licenses") or ""
    if isinstance(stated, list):
        return " OR ".join(str(each.get("type", "")) if isinstance(each, dict) else str(each) for each in stated)
    return str(stated.get("type", "")) if isinstance(stated, dict) else str(stated)


def _of_metadata(text: str) -> str:
    head = text.partition("\n\n")[0]
    for key in ("License-Expression", "License"):
        stated = re.search(rf"^{key}: (.+)$", head, re.MULTILINE)
        if stated and len(stated[1]) < 60 and stated[1].strip() != "UNKNOWN":
            return stated[1].strip()
    classifiers = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.MULTILINE)
    return " OR ".join(each.strip() for each in classifiers)


def _of_copyright(text: str) -> str:
    every = _EVERY_FILE.search(text)
    stated = _LICENCE.search(text, every.end()) if every else None
    return stated[1].strip() if stated else ""


def _of_texts(archive: Archive) -> str:
    for path, data in archive.files():
        if _TOP_FILE.match(path):
            text = " ".join(data.decode("utf-8", "replace").split()).lower()
            return next((name for wording, name in _WORDINGS if wording.lower() in text), "")
    return ""
