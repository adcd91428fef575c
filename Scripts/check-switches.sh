#!/usr/bin/env bash
# Fails when a switch over cases of ours has a `default`, in the modules that say what events mean: a new case
# would then be passed over in silence. A switch over an open value (a number, a character, text) may have one;
# over named values of an open type it says so in a comment above: `// EventID is open: …`.
set -euo pipefail
cd "$(dirname "$0")/.."

/usr/bin/env python3 - <<'PYTHON'
import pathlib, re, sys

modules = ["Kinds", "Printing", "EventLines", "AccessoryConformance", "CommandKit", "LaboratoryCommands",
           "DaemonCommands", "ANCSCommands", "ANCSService", "CaptureScenario"]
sources = {path: path.read_text().splitlines() for path in pathlib.Path("Sources").rglob("*.swift")}
# Of the enums of the standard library, the one that grows.
declared = {"GeneralCategory"} | set(
    re.findall(r"\bstruct (\w+)", "\n".join("\n".join(lines) for lines in sources.values()))
)


def pattern(text):
    """The patterns of a `case`, up to its colon, without its condition."""
    depth, end = 0, len(text)
    for index, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == ":" and depth == 0:
            end = index
            break
    return text[:end].split(" where ")[0]


def faults(lines, structs):
    """The lines with a `default` for cases that have names."""
    for number, line in enumerate(lines):
        found = re.match(r"(\s*)(default|case _)\s*:", line)
        if not found:
            continue
        indentation, cases = found.group(1), []
        for before in reversed(lines[:number]):
            if re.match(indentation + r"case\b", before):
                cases.append(pattern(before.strip()))
            elif len(before) - len(before.lstrip()) <= len(indentation) and re.search(r"\bswitch\b", before):
                break
        # A part that is text or a number makes the whole open.
        if any(re.search(r'"|(?<![\w.])\d', case) for case in cases):
            continue
        if not any(re.search(r"(?:^case |[(,]\s*)(?:let )?\.[a-z]", case) for case in cases):
            continue
        said = re.match(r"\s*// ([\w.]+) is open", lines[number - 1])
        if not said or said.group(1).split(".")[-1] not in structs:
            yield number + 1


sample = """
switch event {
case .added: a()
%s
default: break
}
""".splitlines()
for comment, count in [("", 1), ("// EventID is open.", 0), ("// Event is open.", 1)]:
    text = [line.replace("%s", comment) for line in sample]
    assert len(list(faults(text, {"EventID"}))) == count, comment
assert not list(faults(['switch (a, b) {', 'case ("x", .y): c()', 'default: d()', '}'], set()))

found = [
    f"{path}:{line}: a default for cases that have names: list them, or say above it which type is open"
    for path, lines in sorted(sources.items())
    if path.parts[1] in modules
    for line in faults(lines, declared)
]
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
PYTHON
