"""Scenarios of `ancs phone` against accessories: ours, Bumble's, and one that breaks the requirements."""

from __future__ import annotations

import asyncio
import json
import pathlib
import random
import re
import signal
import sys
import xml.etree.ElementTree
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import jsonschema

from harness import (
    BINARY,
    DEADLINE,
    HERE,
    ROOT,
    Disappointment,
    InteropTest,
    Peer,
    client_moniker,
)

SCENARIOS = ROOT / "Scenarios"
SCHEMA = SCENARIOS / "scenario.schema.json"
READY = sorted(path for path in SCENARIOS.rglob("*.json") if path != SCHEMA)
PATIENCE = 10 * DEADLINE
"""Seconds for a whole scenario, which has many steps: a run that takes as long hangs."""

PRESSED = {
    "call-answered-on-accessory": ["positive"],
    "call-declined-on-accessory": ["negative"],
}
"""The buttons that somebody presses, one for each call that rings."""

FORGETFUL = {"keys-forgotten"}
"""The scenarios in which a phone pairs again, so that accessories have to let it."""

TIMED = {
    "actions-refused",
    "answer-lost-twice",
    "conformance",
    "consent-late-and-withdrawn",
    "data-source-dropped",
    "demo",
    "flood-of-500",
    "joined-answers",
    "late-answer",
    "link-fades",
    "lost-answer",
    "notification-source-dropped",
    "phone-deaf",
    "phone-stops-answering",
    "phone-wedged",
    "service-hidden",
    "service-moved",
    "stalls-and-strays",
}
"""The scenarios that grade how soon something is done, or in which seconds to hours have to pass:
they run in virtual time alone, where a busy machine makes nothing late."""

MEDIA = {"media-conformance", *(path.stem for path in (SCENARIOS / "media").glob("*.json"))}
"""The scenarios that want an accessory that uses the media of the phone: `test_media.py` plays them."""

CLOCKS = {"clock"}
"""The scenarios that want an accessory that shows the time, which ours does not."""

PAIRS = {"two-accessories"}
"""The scenarios that want more accessories than `ancs demo` has."""


def unhurried(document: dict[str, Any]) -> dict[str, Any]:
    """A scenario that waits as long as the machine takes for what is to come."""

    def lift(steps: list[dict[str, Any]]) -> None:
        for step in steps:
            if "repeat" in step:
                lift(step["repeat"]["steps"])
            elif "wait" in step or ("expect" in step and "no" not in step["expect"]):
                step["within"] = DEADLINE

    lift(document["steps"])
    return document | {"timeout": PATIENCE}


class ScenarioTest(InteropTest):
    """A scenario, and accessories on the same radio."""

    async def radio(self, hosts: int) -> list[str]:
        """Starts a controller for each of so many hosts."""
        endpoints = ["tcp-server:127.0.0.1:0"] * hosts
        controllers = await self.lab.start(
            "controllers", sys.executable, str(HERE / "controllers.py"), *endpoints
        )
        ready = await controllers.until(
            lambda: [line for line in controllers.garbage if line.startswith("READY")], "READY"
        )
        return [client_moniker(moniker) for moniker in ready[0].split()[1:]]

    async def scripted_phone(
        self, moniker: str, scenario: pathlib.Path | dict[str, Any], *arguments: str
    ) -> Peer:
        """Starts `ancs phone` with a scenario."""
        if isinstance(scenario, dict):
            path = self.lab.directory / "scenario.json"
            path.write_text(json.dumps(scenario))
            scenario = path
        return await self.lab.start(
            "scenario",
            *BINARY,
            "phone",
            *("--hci", moniker),
            *("--scenario", str(scenario)),
            "--json",
            *arguments,
        )

    async def accessory(
        self, moniker: str, name: str = "Desk", *arguments: str, script: str = ""
    ) -> Peer:
        """Starts an accessory: ours, or a script beside this file."""
        program = [sys.executable, str(HERE / script)] if script else BINARY
        return await self.lab.start(
            name,
            *program,
            "receive",
            *("--hci", moniker),
            *("--name", name),
            *("--state", str(self.lab.directory / name)),
            "--json",
            *arguments,
        )

    async def result(self, phone: Peer) -> dict[str, Any]:
        """The end of a run."""
        await asyncio.wait(phone.readers, timeout=PATIENCE + DEADLINE)
        if not phone.all("result"):
            raise Disappointment("no result")
        result: dict[str, Any] = phone.all("result")[0]
        return result

    async def run_against(
        self, scenario: pathlib.Path | dict[str, Any], *arguments: str, script: str = ""
    ) -> Peer:
        """Runs a scenario against one accessory, to its end."""
        moniker, other = await self.radio(2)
        await self.accessory(other, script=script)
        phone = await self.scripted_phone(moniker, scenario, *arguments)
        await self.result(phone)
        return phone

    def failures(self, phone: Peer) -> list[Any]:
        """The steps that failed and the requirements that were broken."""
        return [
            record for record in phone.all("step", "requirement") if record["result"] == "failed"
        ]


class ReadyScenarios(ScenarioTest):
    """Every scenario that ships passes with our accessory, in one process and in virtual time, and with
    `ancs receive` over the air; the tests are made below."""

    async def press(self, accessory: Peer, actions: list[str]) -> None:
        """Presses a button each time when it rings."""
        for action in actions:
            record = await accessory.expect("added", category="incomingCall")
            accessory.write(f"perform {record['uid']} {action}")

    async def over_the_air(self, path: pathlib.Path) -> Peer:
        """Runs a scenario against as many accessories as it wants."""
        scenario = unhurried(json.loads(path.read_text()))
        count = len(scenario.get("accessories", ["any"]))
        moniker, *others = await self.radio(1 + count)
        permission = ["--pair"] if path.stem in FORGETFUL else []
        accessories = [
            await self.accessory(other, f"Desk {number}", *permission)
            for number, other in enumerate(others, 1)
        ]
        phone = await self.scripted_phone(moniker, scenario)
        await self.press(accessories[0], PRESSED.get(path.stem, []))
        return phone

    async def in_virtual_time(self, path: pathlib.Path) -> Peer:
        """Runs a scenario against our accessory in one process, without waiting."""
        return await self.lab.start(
            "demo", *BINARY, "demo", "--scenario", str(path), "--speed", "1000000", "--json"
        )

    async def passes(self, phone: Peer) -> None:
        result = await self.result(phone)
        self.assertEqual(self.failures(phone), [])
        self.assertEqual(result["result"], "passed")
        self.assertEqual(await phone.status(), 0)
        self.assertEqual(phone.garbage, [], "only JSON Lines belong on standard output")


def _passes(
    run: Callable[[ReadyScenarios, pathlib.Path], Awaitable[Peer]], path: pathlib.Path
) -> Callable[[ReadyScenarios], Awaitable[None]]:
    async def test(self: ReadyScenarios) -> None:
        await self.passes(await run(self, path))

    return test


for _path in READY:
    if _path.stem in CLOCKS | MEDIA:
        continue
    _name = _path.relative_to(SCENARIOS).with_suffix("").as_posix().translate(
        str.maketrans("/-", "__")
    )
    if _path.stem not in PAIRS:
        _test = _passes(ReadyScenarios.in_virtual_time, _path)
        setattr(ReadyScenarios, f"test_{_name}", _test)
    if _path.stem not in TIMED:
        _test = _passes(ReadyScenarios.over_the_air, _path)
        setattr(ReadyScenarios, f"test_{_name}_over_the_air", _test)


class Links(ScenarioTest):
    """What a phone makes of an accessory's request for connection parameters."""

    async def decided(self, answer: str) -> dict[str, Any]:
        """What the link of an accessory has, once the phone has decided."""
        moniker, other = await self.radio(2)
        accessory = await self.accessory(other)
        steps: list[dict[str, Any]] = [{"expect": {"no": "action", "for": PATIENCE}}]
        if answer != "accept":
            fault = {"fault": "parameters", "answer": answer, "times": 3}
            steps.insert(0, {"inject": fault})
        await self.scripted_phone(moniker, {"title": "Links", "steps": steps})
        link: dict[str, Any] = (await accessory.expect("link"))["link"]
        return link

    async def test_a_phone_that_accepts_grants_six_seconds(self) -> None:
        self.assertEqual(
            await self.decided("accept"), {"interval": 45, "latency": 0, "timeout": 6000}
        )

    async def test_a_phone_that_refuses_keeps_its_own(self) -> None:
        self.assertEqual(
            await self.decided("refuse"),
            {"interval": 30, "latency": 0, "timeout": 720, "kept": True},
        )


class Grading(ScenarioTest):
    """What a graded scenario says about accessories."""

    BROKEN = {
        "R5": "never subscribed to Service Changed",
        "R21": "Write Command",
        "R23": "the command 7 is reserved",
        "R24": "ends within the UID",
        "R25": "title without a maximum",
        "R26": "the attribute 8 is reserved",
        "S8": "no attribute",
        "S9": "at most 0 octets of title",
        "R18": "UID 1000, which was never announced",
        "R35": "no NUL",
        "R39": "the app attribute 3 is reserved",
        "R40": "5 octets instead of 6",
        "R41": "the action 5 is reserved",
        "R43": "whose flags offer none",
        "R48": "no user asked it to",
        "R55": "asked again for the same attributes",
        "R56": "asked again for com.apple.MobileSMS",
        "S3": "before the Data Source",
    }

    async def test_an_accessory_that_breaks_requirements_is_told_which(self) -> None:
        report = self.lab.directory / "report.xml"
        scenario = {
            "title": "Bad <&> \u0007 one",
            "grade": True,
            "steps": [
                {"wait": "subscribed"},
                {"post": {"as": "a", "title": "A"}},
                # The last that it does wrong; then what it has never done.
                *[{"expect": {"command": "getAppAttributes", "answer": "success"}}] * 2,
                {
                    "expect": {
                        "command": "getNotificationAttributes",
                        "of": "a",
                        "attributes": ["title", "message"],
                    },
                    "within": 1,
                },
            ],
        }
        for step in scenario["steps"][:-1]:
            step["within"] = DEADLINE
        phone = await self.run_against(
            scenario, "--junit", str(report), script="bad_accessory.py"
        )
        self.assertEqual(await phone.status(), 1)
        found = {
            record["requirement"]: record["evidence"]
            for record in phone.all("requirement")
            if record["result"] == "failed"
        }
        self.assertEqual(sorted(found), sorted(self.BROKEN))
        for requirement, words in self.BROKEN.items():
            self.assertTrue(any(words in line for line in found[requirement]), (requirement, found[requirement]))
        (step,) = [record for record in phone.all("step") if record["result"] == "failed"]
        self.assertIn(
            "requested title without a maximum: R25; the phone answered Invalid Command (0xA1)",
            step["because"],
        )
        self.check_report(report, failures=len(self.BROKEN) + 1)

    def check_report(self, path: pathlib.Path, failures: int) -> None:
        """Reads a report as continuous integration does."""
        suites = xml.etree.ElementTree.parse(path).getroot()
        (suite,) = suites.findall("testsuite")
        self.assertEqual(suite.get("name"), "Bad <&> \\u{7} one")
        cases = suite.findall("testcase")
        self.assertEqual(int(suite.get("tests", 0)), len(cases))
        failed = [case for case in cases if case.find("failure") is not None]
        self.assertEqual(int(suite.get("failures", 0)), len(failed))
        self.assertEqual(len(failed), failures)
        texts = "\n".join(case.findtext("failure", "") for case in failed)
        self.assertIn("requested title without a maximum: R25", texts)

    async def test_bumbles_client_is_told_where_it_hangs(self) -> None:
        # Bumble's AncsClient waits for ever for an answer that has no attribute, subscribes in the
        # other order, and knows nothing of Service Changed.
        scenario = {
            "title": "Bumble",
            "grade": True,
            "apps": {"com.example.gone": None},
            "steps": [
                {"wait": "subscribed"},
                {"post": {"as": "a", "title": "A"}},
                {"expect": {"command": "getNotificationAttributes", "of": "a", "answer": "success"}},
                {"post": {"as": "orphan", "app": "com.example.gone", "title": "B"}},
                {"expect": {"command": "getAppAttributes", "app": "com.example.gone"}},
                {"post": {"as": "c", "title": "C"}},
                {"expect": {"no": "command", "of": "c", "for": 6}},
            ],
        }
        phone = await self.run_against(unhurried(scenario), script="accessory.py")
        self.assertEqual(
            sorted(record["requirement"] for record in self.failures(phone)), ["R5", "S23", "S3"]
        )
        self.assertEqual(await phone.status(), 1)


class Running(ScenarioTest):
    """How runs begin and end."""

    async def test_bumbles_client_receives_calls_and_text(self) -> None:
        scenario = unhurried(json.loads((SCENARIOS / "text.json").read_text()))
        phone = await self.run_against(scenario, script="accessory.py")
        self.assertEqual(self.failures(phone), [])

    async def test_an_accessory_with_a_clock_follows_the_phone_s(self) -> None:
        moniker, other = await self.radio(2)
        accessory = await self.accessory(other, "Desk", "--clock", script="accessory.py")
        scenario = unhurried(json.loads((SCENARIOS / "clock.json").read_text()))
        # Half an hour before the change: no machine is so busy that another hour begins meanwhile.
        scenario["steps"][4]["clock"]["set"] = "2026-03-29T01:30:00"
        scenario["steps"] += [{"battery": 57}, {"expect": {"read": "batteryLevel"}}]
        phone = await self.scripted_phone(moniker, scenario)
        await self.result(phone)
        self.assertEqual(self.failures(phone), [])
        shown = [record["value"] for record in accessory.all("currentTime") if record["told"]]
        # Year, month, day and hour; day of the week; why.
        told = [value[:10] + " " + value[14:16] + " " + value[-2:] for value in shown[:3]]
        self.assertEqual(told, ["ea07031d01 07 0d", "ea07031d02 07 08", "ea07031c16 06 04"])
        zones = [record["value"] for record in accessory.all("localTimeInformation")]
        self.assertEqual(zones[1:4], ["0400", "0404", "f204"])
        await accessory.expect("batteryLevel", value="39")

    async def test_two_accessories_in_one_scenario_are_told_apart(self) -> None:
        def fetch(who: str) -> dict[str, Any]:
            expectation = {"command": "getNotificationAttributes", "of": "a", "answer": "success"}
            return {"expect": expectation, "accessory": who}

        scenario = {
            "title": "Two",
            "accessories": {"left": {"name": "Left"}, "right": {"name": "Right"}},
            "steps": [
                {"wait": "subscribed", "accessory": "left"},
                {"wait": "subscribed", "accessory": "right"},
                {"post": {"as": "a", "title": "For both"}},
                fetch("left"),
                fetch("right"),
                {"disconnect": True, "accessory": "left"},
                {"expect": {"no": "disconnection", "for": 1}, "accessory": "right"},
                {"wait": "subscribed", "accessory": "left"},
                fetch("left"),
            ],
        }
        moniker, left, right = await self.radio(3)
        await self.accessory(left, "Left")
        await self.accessory(right, "Right")
        phone = await self.scripted_phone(moniker, unhurried(scenario))
        result = await self.result(phone)
        self.assertEqual(self.failures(phone), [])
        self.assertEqual(result["passed"], 9)

    async def test_a_signal_ends_a_run_with_a_report(self) -> None:
        report = self.lab.directory / "report.xml"
        (moniker,) = await self.radio(1)
        phone = await self.scripted_phone(
            moniker,
            {"title": "Alone", "steps": [{"wait": "connected", "within": 600}]},
            *("--junit", str(report)),
        )
        await phone.expect("ready")
        phone.process.send_signal(signal.SIGINT)
        result = await self.result(phone)
        self.assertEqual((result["result"], result["interruption"]), ("failed", "interrupted"))
        self.assertEqual(await phone.status(), 1)
        self.assertIn("unreached", report.read_text())

    async def test_a_lost_controller_ends_a_run_with_a_report(self) -> None:
        report = self.lab.directory / "report.xml"
        (moniker,) = await self.radio(1)
        phone = await self.scripted_phone(
            moniker,
            {"title": "Alone", "steps": [{"wait": "connected", "within": 600}]},
            *("--junit", str(report)),
        )
        await phone.expect("scanning", on=True)
        await self.lab.peers[0].kill()
        result = await self.result(phone)
        self.assertEqual((result["result"], result["interruption"]), ("failed", "phoneFailed"))
        self.assertEqual(await phone.status(), 1)
        suite = xml.etree.ElementTree.parse(report).getroot()
        self.assertEqual(suite.get("errors"), "1")

    async def unstarted(self, report: pathlib.Path, *arguments: str) -> Peer:
        """Runs a scenario whose phone cannot start."""
        phone = await self.scripted_phone(
            f"unix:{self.lab.directory}/nowhere",
            {"title": "Alone", "steps": [{"wait": "connected"}]},
            *("--junit", str(report)),
            *arguments,
        )
        await phone.status()
        return phone

    async def test_a_phone_that_cannot_start_is_an_error_of_the_report(self) -> None:
        report = self.lab.directory / "report.xml"
        occupied = self.lab.directory / "occupied"
        occupied.write_text("")
        for arguments, reason, status in (
            ((), "cannot connect to unix:", 3),
            (("--state", str(occupied)), str(occupied), 3),
            (("--snoop", str(occupied / "capture")), "cannot create", 2),
        ):
            report.write_text("of an earlier run")
            with self.subTest(reason):
                phone = await self.unstarted(report, *arguments)
                self.assertEqual(phone.process.returncode, status)
                self.assertIn(reason, "\n".join(phone.errors))
                self.assertEqual(phone.all("result", "step"), [])
                self.assertEqual(phone.garbage, [])
                suite = xml.etree.ElementTree.parse(report).getroot()
                self.assertEqual(suite.get("errors"), "1")
                (error,) = suite.iter("error")
                message = error.get("message", "")
                self.assertTrue(message.startswith("the phone could not start: "), message)
                self.assertIn(reason, message)

    async def test_a_report_that_cannot_be_written_is_said_before_the_run(self) -> None:
        precious = self.lab.directory / "precious"
        precious.write_text("precious")
        link = self.lab.directory / "link.xml"
        link.symlink_to(precious)
        for report, reason in (
            (self.lab.directory / "absent" / "report.xml", "No such file or directory"),
            (self.lab.directory, "Is a directory"),
            (link, "it is a symbolic link, and a report is not written through one"),
        ):
            with self.subTest(report):
                phone = await self.unstarted(report)
                self.assertEqual(phone.process.returncode, 2)
                self.assertEqual(len(phone.errors), 1)
                self.assertIn(reason, phone.errors[0])
                self.assertEqual(phone.records, [])
        self.assertEqual(precious.read_text(), "precious")

    async def test_nobody_on_air_is_told(self) -> None:
        (moniker,) = await self.radio(1)
        phone = await self.scripted_phone(
            moniker, {"title": "Alone", "steps": [{"wait": "connected", "within": 1}]}
        )
        await self.result(phone)
        (step,) = self.failures(phone)
        self.assertEqual(step["came"], "no accessory was found")
        self.assertIn("solicit", step["because"][0])
        self.assertEqual(await phone.status(), 1)


class Files(ScenarioTest):
    """The schema and the parser agree."""

    def setUp(self) -> None:
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    async def test_every_ready_scenario_is_valid(self) -> None:
        self.assertGreater(len(READY), 30)
        for path in READY:
            document = json.loads(path.read_text())
            with self.subTest(path.name):
                self.assertEqual([e.message for e in self.validator.iter_errors(document)], [])
                reference = (path.parent / document["$schema"]).resolve()
                self.assertEqual(reference, SCHEMA)

    MISTAKES: list[tuple[str, dict[str, Any]]] = [
        ("$.steps[0].wait", {"wait": "subscribd"}),
        ("$.steps[0]", {"wait": "paired", "pause": 1}),
        ("$.steps[0]", {"post": {"as": "a"}, "whithin": 3}),
        ("$.steps[0].post.category", {"post": {"as": "a", "category": 256}}),
        ("$.steps[0].post", {"post": {"title": "no name"}}),
        ("$.steps[0].expect", {"expect": {"no": "command"}}),
        ("$.steps[0].inject", {"inject": {"fault": "late"}}),
        ("$.steps[0].inject.by", {"inject": {"fault": "lost", "by": 1}}),
        (
            "$.steps[0].inject.characteristic",
            {"inject": {"fault": "lost", "characteristic": "dataSource"}},
        ),
        ("$.steps[0].publish.handle", {"publish": {"handle": 34}}),
        ("$.steps[0].set.fragments", {"set": {"fragments": 0}}),
        ("$.steps[0].disconnect", {"disconnect": False}),
        ("$.steps[0].within", {"wait": "paired", "within": -1}),
        ("$.steps[0].expect.app", {"expect": {"command": "getNotificationAttributes", "app": "x"}}),
        ("$.steps[0].expect.attributes", {"expect": {"command": "any", "attributes": []}}),
        ("$.steps[0].expect.of", {"expect": {"no": "pairing", "of": "a", "for": 1}}),
        ("$.steps[0].post.date", {"post": {"as": "a", "date": "2026-13-01T00:00:00"}}),
        ("$.steps[0].post.app", {"post": {"as": "a", "app": "a\0b"}}),
        ("$.steps[0].optional", {"repeat": {"times": 1, "steps": []}, "optional": True}),
    ]

    async def test_the_schema_and_the_program_refuse_the_same_mistakes(self) -> None:
        for place, step in self.MISTAKES:
            document = {"title": "Mistake", "steps": [step]}
            with self.subTest(place):
                self.assertNotEqual(list(self.validator.iter_errors(document)), [])
                phone = await self.scripted_phone("hci-socket:0", document)
                self.assertEqual(await phone.status(), 2)
                self.assertRegex(
                    phone.errors[0], rf"scenario\.json:1:\d+: {re.escape(place)}: expected"
                )

    async def refusal(self, text: str) -> str:
        """What the program says about a file, if it refuses it; there is no controller to run at."""
        path = self.lab.directory / "mutant.json"
        path.write_text(text)
        process = await asyncio.create_subprocess_exec(
            *BINARY,
            "phone",
            *("--hci", f"serial:{self.lab.directory}/nowhere"),
            *("--scenario", str(path)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, errors = await process.communicate()
        self.assertIn(process.returncode, (2, 3))
        return errors.decode() if process.returncode == 2 else ""

    async def test_the_schema_and_the_program_agree_about_mutants(self) -> None:
        generator = random.Random(3)
        mutants = [mutant for path in READY for mutant in mutations(json.loads(path.read_text()))]
        for text in generator.sample(sorted(set(mutants)), 100):
            errors = await self.refusal(text)
            if BEYOND_THE_SCHEMA.search(errors):
                continue
            with self.subTest(text[:200]):
                valid = self.validator.is_valid(json.loads(text))
                self.assertEqual(valid, errors == "", errors)


BEYOND_THE_SCHEMA = re.compile(
    "that was posted before|that is not taken|as it stands in a repetition|of a ringing call"
    "|expected an accessory: |in all rounds"
)
"""Complaints about names, and about sums, which a schema does not know."""


def mutations(document: Any) -> Iterator[str]:
    """A document with each of its members left out, renamed or of another type."""
    for holder, key in members(document):
        value = holder[key]
        for other in (None, True, 0, -1, 1.5, 70_000, "", "x", [], {}, [1], {"x": 1}):
            holder[key] = other
            yield json.dumps(document)
        del holder[key]
        yield json.dumps(document)
        if isinstance(holder, dict):
            holder[key + "s"] = value
            yield json.dumps(document)
            del holder[key + "s"]
            holder[key] = value
        else:
            holder.insert(key, value)


def members(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of every object, and every element of every array."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from members(value[key])
