"""Profiles: a matcher with the threshold that `tseval calibrate` chose for it, as a JSON file."""

from __future__ import annotations

import json
from typing import Any

from tseval.errors import input_error, reason_of
from tseval.io import json_text
from tseval.io.inputs import all_of_file
from tseval.version import VERSION

SUFFIX = ".json"
"""A matcher's name that ends like this is the path of a profile."""

KEY = "matcher"
CURE = "a profile is what `tseval calibrate --save FILE.json` writes"


def is_profile(name: str) -> bool:
    """Whether a matcher's name stands for a profile."""
    return name.lower().endswith(SUFFIX)


def profile_bytes(matcher: str, measured: dict[str, Any]) -> bytes:
    """A profile: the matcher's full name, threshold included, and what was measured of it."""
    content = {"tseval": VERSION, KEY: matcher, "measured": measured}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_profile(path: str) -> str:
    """The name of the matcher in a profile; anything else is an `InputError`."""
    try:
        content = json_text.load(all_of_file(path).decode())
    except OSError as error:
        reason = reason_of(error)
        raise input_error(path, None, reason, CURE, "unreadable-file") from error
    except json_text.DoubledKey as error:
        raise input_error(path, None, str(error), json_text.KEY_CURE, "duplicate-key") from error
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise input_error(path, line, "is no JSON in UTF-8", CURE, "json-syntax") from error
    name = content.get(KEY) if isinstance(content, dict) else None
    if not isinstance(name, str) or is_profile(name):
        raise input_error(path, None, f'names no "{KEY}"', CURE, "missing-key")
    return name
