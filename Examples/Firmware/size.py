"""Tells in Markdown how large the firmware is, from the map and the symbols of the linker: `size.py BUILD`.

With `--page FILE` the text takes the place of what stands between the two marks of that page.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys

MARKS = ("<!-- Scripts/firmware.sh size -->\n", "<!-- until here -->\n")
# The linker makes one object of all modules in Swift; symbols are attributed by their names.
SWIFT = ".lto."
MODULES = {
    "11BluetoothLE": "`BluetoothLE`",
    "14BluetoothTypes": "`BluetoothTypes`",
    "3AMS": "`AMS`",
    "4ANCS": "`ANCS`",
    "8Firmware": "the accessory",
    "6Octets": "`Octets`",
    "$s": "Swift's standard library",
    "swift_": "Swift's standard library",
}
REST = "what several share, and constants"
PARTS = {
    "bearssl": "BearSSL",
    "libgcc": "libgcc: division, floating point",
    "UnicodeDataTables": "Swift's tables of Unicode",
}
BOARD = "the board and the C library"


def part(file: str) -> str:
    """To which part of the firmware an input file of the linker belongs."""
    if SWIFT in file:
        return REST
    return next((name for key, name in PARTS.items() if key in file), BOARD)


def modules(build: pathlib.Path) -> dict[str, int]:
    """What the modules in Swift take in flash."""
    sizes: dict[str, int] = {}
    for row in subprocess.check_output(["nm", "-S", str(build / "firmware.elf")], text=True).splitlines():
        fields = row.split()
        if len(fields) != 4 or fields[2] not in "tTrRdD":
            continue
        # The module that is named first is where it is from.
        places = [(fields[3].find(key), name) for key, name in MODULES.items() if key in fields[3]]
        named = [place for place in places if not place[1].startswith("Swift")] or places
        if named:
            name = min(named)[1]
            sizes[name] = sizes.get(name, 0) + int(fields[1], 16)
    return sizes

def octets(number: int) -> str:
    """A number for people."""
    return f"{number:,}"


def sections(build: pathlib.Path) -> tuple[dict[str, int], dict[str, int]]:
    """The sizes of the output sections, and what of those in flash each part takes."""
    outputs: dict[str, int] = {}
    parts: dict[str, int] = {}
    output = ""
    line = re.compile(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+( *)(\S.*)$")
    for text in (build / "firmware.map").read_text().splitlines():
        found = line.match(text)
        if found is None:
            continue
        size, indent, name = int(found[1], 16), len(found[2]), found[3]
        if indent == 1:
            output = name
            outputs[name] = size
        elif indent == 9 and output in (".text", ".data") and ":(" in name:
            parts[part(name)] = parts.get(part(name), 0) + size
    return outputs, parts


def symbols(build: pathlib.Path, count: int) -> list[tuple[int, str]]:
    """The largest symbols in flash, by the names that people gave them."""
    command = ["nm", "-S", "--size-sort", "--reverse-sort", str(build / "firmware.elf")]
    rows = [row.split() for row in subprocess.check_output(command, text=True).splitlines()]
    kept = [row for row in rows if len(row) == 4 and row[2] in "tTrRdD"][:count]
    names = subprocess.run(
        ["swift", "demangle", "-simplified"],
        input="\n".join(row[3] for row in kept), capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    return [(int(row[1], 16), name.replace("|", "\\|")[:110]) for row, name in zip(kept, names)]


def text(build: pathlib.Path) -> str:
    """The tables."""
    outputs, parts = sections(build)
    for name, size in modules(build).items():
        parts[name] = size
        parts[REST] = parts.get(REST, 0) - size
    memory = {name: outputs.get(f".{name}", 0) for name in ("text", "data", "bss", "stack", "heap")}
    flash, ram = memory["text"] + memory["data"], sum(memory.values()) - memory["text"]
    lines = [
        "| | octets |", "|---|---:|",
        f"| **flash** (`text` and the image of `data`) | **{octets(flash)}** |",
        *(
            f"| {name} | {octets(size)} |"
            for name, size in sorted(parts.items(), key=lambda item: -item[1])
        ),
        f"| **RAM** | **{octets(ram)}** |",
        *(f"| `{name}` | {octets(memory[name])} |" for name in ("data", "bss", "stack", "heap")),
        "", "The twenty largest symbols:", "", "| | octets |", "|---|---:|",
        *(f"| `{name}` | {octets(size)} |" for size, name in symbols(build, 20)),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Prints the text, or puts it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    made = text(options.build)
    if options.page is None:
        print(made, end="")
        return 0
    page = options.page.read_text()
    before, found, rest = page.partition(MARKS[0])
    _, ended, after = rest.partition(MARKS[1])
    if not found or not ended:
        print(f"{options.page} has no place for the tables: put {MARKS} there", file=sys.stderr)
        return 1
    options.page.write_text(before + MARKS[0] + "\n" + made + "\n" + MARKS[1] + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
