"""The schemas of what the commands print with `--json`, in Documentation/Schemas."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import jsonschema
import referencing

FOLDER = Path(__file__).resolve().parent.parent.parent / "Documentation/Schemas"

"""The commands whose schema has another name than they."""
SHARED = {"list": "record", "watch": "record"}


@functools.cache
def registry() -> referencing.Registry:
    """All schemas by the names of their files: they refer to each other."""
    return referencing.Registry().with_resources(
        (path.name, referencing.Resource.from_contents(json.loads(path.read_text())))
        for path in FOLDER.glob("*.schema.json")
    )


@functools.cache
def validator(command: str) -> jsonschema.Draft202012Validator:
    """What each line of a command has to look like."""
    name = SHARED.get(command, command) + ".schema.json"
    schema = json.loads((FOLDER / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, registry=registry())


def complaints(command: str, record: object) -> list[str]:
    """What is wrong with a line of a command."""
    return [
        f"{json.dumps(record, ensure_ascii=False)} is not as in the schema of {command}: "
        + "; ".join(sorted({part.message for part in parts(error)}, key=len)[:3])
        for error in validator(command).iter_errors(record)
    ]


def parts(error: jsonschema.ValidationError) -> list[jsonschema.ValidationError]:
    """The complaints behind one: of the alternatives only the one that was meant."""
    best = jsonschema.exceptions.best_match([error])
    return [error] if best is None else [best]
