"""Writes what libFuzzer reads into a folder: the seeds of each target as files, and dictionaries of the
words that documents may have, taken from their schemas.

    prepare.py FOLDER               what Scripts/fuzz.sh does
    prepare.py --keep TARGET FILE...   writes files as the seeds of a target
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent
SCHEMAS = {
    "scenario": ["Scenarios/scenario.schema.json"],
    "document": ["Documentation/Schemas/publication.schema.json"],
}


def words(schema):
    """The names and the words of a schema, as they stand in a document."""
    if isinstance(schema, list):
        return {word for element in schema for word in words(element)}
    if not isinstance(schema, dict):
        return set()
    found = {f'"{name}":' for name in schema.get("properties", {})}
    choices = [*schema.get("enum", []), schema.get("const")]
    found |= {f'"{choice}"' for choice in choices if isinstance(choice, str)}
    return found | {word for part in schema.values() for word in words(part)}


def prepare(folder):
    for seeds in (ROOT / "Seeds").glob("*.txt"):
        place = folder / seeds.stem
        place.mkdir(parents=True)
        for number, line in enumerate(seeds.read_text().splitlines()):
            (place / str(number)).write_bytes(bytes.fromhex(line))
    for target, schemas in SCHEMAS.items():
        known = set()
        for schema in schemas:
            known |= words(json.loads((ROOT.parent / schema).read_text()))
        lines = [json.dumps(word) + "\n" for word in sorted(known)]
        (folder / f"{target}.dict").write_text("".join(lines))


def keep(target, files):
    inputs = {pathlib.Path(file).read_bytes() for file in files}
    lines = [octets.hex() + "\n" for octets in sorted(inputs, key=lambda octets: (len(octets), octets))]
    (ROOT / "Seeds" / f"{target}.txt").write_text("".join(lines))


if sys.argv[1] == "--keep":
    keep(sys.argv[2], sys.argv[3:])
else:
    prepare(pathlib.Path(sys.argv[1]))
