"""Usage: bill.py WHEEL: the software bill of materials of a wheel, as CycloneDX in JSON.

Run by the Python of an environment in which the wheel is installed: the versions are those that
stand there. It needs nothing but that Python, and the same environment gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = "tseval"


def called(name: str) -> str:
    """A package's name as registries have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(found: Distribution) -> list[str]:
    """What a package needs wherever it is installed without extras."""
    without_extras = [each for each in found.requires or [] if not re.search(r"\bextra\b", each)]
    return sorted({called(re.split(r"[^\w.-]", each.strip())[0]) for each in without_extras})


def installed(root: str) -> dict[str, Distribution]:
    """The package and all that it rests on here; what another platform needs is not here."""
    found: dict[str, Distribution] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                continue
            waiting += needed(found[name])
    return dict(sorted(found.items()))


def address(name: str, found: Distribution) -> str:
    """A package as bills and advisories name it."""
    return f"pkg:pypi/{name}@{found.version}"


def component(name: str, found: Distribution) -> dict[str, Any]:
    """One package with its version and licence, as far as it says."""
    told = found.metadata
    record = {"type": "library", "bom-ref": address(name, found), "name": name}
    record |= {"version": found.version, "purl": address(name, found)}
    expression = told.get("License-Expression")
    return record | ({"licenses": [{"expression": expression}]} if expression else {})


def bill(wheel: Path) -> dict[str, Any]:
    """The whole bill."""
    found = installed(ROOT)
    own = component(ROOT, found[ROOT])
    own["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": [component(*each) for each in found.items() if each[0] != ROOT],
        "dependencies": [
            {
                "ref": address(name, each),
                "dependsOn": [address(on, found[on]) for on in needed(each) if on in found],
            }
            for name, each in found.items()
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(bill(Path(sys.argv[1])), indent=1) + "\n")
