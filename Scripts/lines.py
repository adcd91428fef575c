#!/usr/bin/env python3
"""Counts the lines of Sources.

    lines.py                    by floor, the lines of code: without comments and blank lines, C and headers included;
                                fails when there are more than the budget of CONTRIBUTING.md
    lines.py --closure TARGET   the lines of a target and of all that it needs, comments and blank lines included
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTED = {".swift", ".c", ".h"}
COMMENT_OR_BLANK = re.compile(r"\s*(//.*|/\*.*|\*.*)?$")


def lines(folder):
    """The lines of the counted files below a folder, each as text."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in COUNTED:
            yield from path.read_text(encoding="utf-8").splitlines()


def code(folder):
    return sum(1 for line in lines(folder) if not COMMENT_OR_BLANK.match(line))


def closure(name):
    """The folders of a target and of all that it needs."""
    described = subprocess.run(
        ["swift", "package", "describe", "--type", "json"], cwd=ROOT, check=True, capture_output=True,
        env=os.environ | {"ANCS_ONLY": name})
    return [ROOT / target["path"] for target in json.loads(described.stdout)["targets"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--closure", metavar="TARGET")
    target = parser.parse_args().closure
    if target:
        print(sum(1 for folder in closure(target) for _ in lines(folder)))
        return 0
    contract = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    budget = int(re.search(r"at most \*\*([0-9,]+)\*\* lines", contract).group(1).replace(",", ""))
    total = 0
    for floor in sorted((ROOT / "Sources").iterdir()):
        count = code(floor)
        total += count
        print(f"{count:7,}  {floor.name}")
    print(f"{total:7,}  lines of code in Sources, of at most {budget:,}")
    return total > budget


if __name__ == "__main__":
    sys.exit(main())
