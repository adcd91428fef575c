"""The schemas of what the commands print with `--json`, in Documentation/Schemas."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import jsonschema
import referencing

FOLDER = Path(__file__).resolve().parent.parent.parent / "Documentation/Schemas"

"""The commands whose schema has another name than they."""
SHARED = {"list": "record", "watch": "record", "mute": "apps"}


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
        f"{json.dumps(record, ensure_ascii=False)} is not as the schema of {command} says: "
        + reason(error)
        for error in validator(command).iter_errors(record)
    ]


def reason(error: jsonschema.ValidationError) -> str:
    """Why a line is refused: of several alternatives, what is wrong with those for its event."""
    alternatives: dict[object, list[jsonschema.ValidationError]] = {}
    for part in error.context or []:
        alternatives.setdefault(part.schema_path[0], []).append(part)
    meant = [
        part.message
        for parts in alternatives.values()
        if not any(list(part.path) in (["event"], ["kind"], ["side"]) for part in parts)
        for part in parts
    ]
    return "; ".join(meant) or error.message
