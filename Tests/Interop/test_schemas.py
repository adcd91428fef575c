"""The lines that are recorded in Tests/Goldens are as the schemas say."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path

import schemas

GOLDENS = Path(__file__).resolve().parent.parent / "Goldens"
"""The commands that print the events of a table, by the form."""
TABLES = {
    "events/receive.txt": {"json": "receive", "demojson": "demo"},
    "events/phone.txt": {"json": "phone"},
    "events/binding.txt": {"json": "phone"},
    "events/adapter.txt": {"json": "advertise"},
    "events/decode.txt": {"json": "decode"},
    "events/watch.txt": {"json": "watch"},
    "events/pair.txt": {"json": "pair"},
}
LINE = re.compile(r"  (json|demojson) +(.*)")
"""Forms in which nothing is JSON."""
WORDS = {"nothing"}


def table(path: Path, commands: dict[str, str]) -> list[tuple[str, str]]:
    """The lines of standard output in a table, with their commands."""
    found = [match.groups() for line in path.read_text().splitlines() if (match := LINE.match(line))]
    return [
        (commands[form], text)
        for form, text in found
        if text not in WORDS and not text.startswith("2> ")
    ]


def recorded() -> list[tuple[str, str]]:
    """Every line of JSON in the recordings, with its command."""
    lines: list[tuple[str, str]] = []
    for name, commands in TABLES.items():
        lines += table(GOLDENS / name, commands)
    for path in sorted((GOLDENS / "commands").glob("*.txt")):
        lines += table(path, {"json": path.stem})
    for path in sorted((GOLDENS / "runs").rglob("*.jsonl")):
        command = path.suffixes[-2].removeprefix(".")
        lines += [
            (command, line)
            for line in path.read_text().splitlines()
            if not line.startswith("2> ")
        ]
    return lines


class SchemaTests(unittest.TestCase):
    """What the commands print with `--json` is as their schemas say."""

    def test_every_recorded_line_is_as_its_schema_says(self) -> None:
        """A line that the schema of its command does not know, or that is not JSON, is reported."""
        lines = recorded()
        self.assertGreater(len(lines), 600)
        wrong = [
            complaint
            for command, text in lines
            for complaint in schemas.complaints(command, json.loads(text))
        ]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_every_command_with_json_has_a_schema(self) -> None:
        """The page of a command says whether it has `--json`."""
        pages = (GOLDENS.parent.parent / "Documentation/Commands").glob("*.md")
        option = re.compile(r"^\| `--json`", re.MULTILINE)
        commands = [page.stem for page in pages if option.search(page.read_text())]
        self.assertGreater(len(commands), 10)
        for command in commands:
            schemas.validator(command)

    def test_a_schema_refuses_what_its_command_does_not_print(self) -> None:
        """Of every recorded line, one with another member and one with another event are refused."""
        for command, text in recorded():
            record = json.loads(text)
            self.assertTrue(schemas.complaints(command, {**record, "unheardOf": 1}), text)
            for key in ("event", "kind"):
                if key in record:
                    self.assertTrue(schemas.complaints(command, {**record, key: "?"}), text)

    def test_every_kind_of_line_of_a_schema_is_recorded(self) -> None:
        """A kind of line that is in a schema and in no recording may be one that no command prints."""
        seen: dict[str, set[str]] = {}
        for command, text in recorded():
            record = json.loads(text)
            # The phone's lines of the demo are those of the phone.
            shown = "phone" if record.get("side") in ("phone", "scenario") else command
            seen.setdefault(shown, set()).add(record.get("event", record.get("kind", "")))
        unseen = {command: known(command) - names for command, names in seen.items()}
        self.assertEqual({command: names for command, names in unseen.items() if names}, UNRECORDED)


"""What is printed by code that only a whole program runs: the tests of each command look at it."""
UNRECORDED = {
    "decode": {"linkRule"},
    "bonds": {"removed"},
    "gatt": {"pairing"},
    "history": {"forgotten"},
    "scan": {"scanning"},
}


def known(command: str) -> set[str]:
    """The events that the schema of a command names."""
    schema = schemas.validator(command).schema
    names: set[str] = set()
    for kind in schema.get("oneOf", []):
        definition = schema.get("$defs", {}).get(kind.get("$ref", "").rpartition("/")[2], {})
        for key in ("event", "kind"):
            event = definition.get("properties", {}).get(key, {})
            names |= set(event.get("enum", [event["const"]] if "const" in event else []))
    return names


if __name__ == "__main__":
    unittest.main()
