"""Usage: audit.py [URL]: what advisories say of the packages of this environment.

Asks the open database of advisories at URL for every package that is installed here. The exit code
is 1 where one has an advisory, and 2 where the database cannot be reached: then nothing is checked.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import distributions
from urllib.request import Request, urlopen

SOURCE = "https://api.osv.dev/v1/querybatch"
WAIT = 30.0


def main(source: str) -> int:
    """Ask, say what is known, and give the exit code."""
    here = sorted({(each.metadata["Name"].lower(), each.version) for each in distributions()})
    asked = [{"package": {"name": n, "ecosystem": "PyPI"}, "version": v} for n, v in here]
    body = json.dumps({"queries": asked}).encode()
    request = Request(source, body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=WAIT) as reply:
            answers = json.load(reply)["results"]
    except (OSError, KeyError, TypeError, ValueError) as error:
        print(f"NOT CHECKED: no advisories can be had from {source}: {error}", file=sys.stderr)
        return 2
    if len(answers) != len(here):
        print(f"NOT CHECKED: {source} did not answer for every package", file=sys.stderr)
        return 2
    known = [
        f"{name} {version}: {', '.join(each['id'] for each in answer['vulns'])}"
        for (name, version), answer in zip(here, answers, strict=True)
        if answer.get("vulns")
    ]
    print("\n".join([*known, f"{len(here)} packages checked, {len(known)} with advisories"]))
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [SOURCE]))
