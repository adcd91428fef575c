"""`ancs bench` names the fault of an accessory: each variant in `faults.py`, by its requirement."""

from __future__ import annotations

import asyncio
import json
import pathlib
import re
import sys

from faults import FAULTS, Fault
from harness import BINARY, HERE, InteropTest, Peer


UNSEEN = {
    "ClearsEverything": "a capture does not show whether a user pressed the button",
    "GivesUpWithoutConsent": "it does not show when the user gave consent",
    "HidesItsIdentity": "the accessory's own address is in the capture of the phone alone",
}
"""The faults that the capture of the accessory does not show, and why."""


class FaultsNamed(InteropTest):
    """What a bench says of accessories that have one fault, and of the one that has none."""

    async def start(self, scenario: str, limit: int, captures: pathlib.Path, *accessory: str) -> Peer:
        """Starts a bench with an accessory, and keeps the captures of both."""
        program, *words = accessory
        return await self.lab.start(
            " ".join(accessory),
            *(*BINARY, "bench", "--json", "--limit", str(limit), f"Scenarios/{scenario}.json"),
            *("--snoop", str(captures)),
            *("--", sys.executable, str(HERE / program), "--hci", "tcp-client:{tcp}"),
            *("--state", "{dir}", *words),
        )

    async def seen(self, captures: pathlib.Path) -> set[str]:
        """The requirements that the capture of an accessory breaks, in `ancs decode`."""
        capture = captures / "run-1-accessory.btsnoop"
        decoding = await asyncio.create_subprocess_exec(
            *(*BINARY, "decode", "--json", str(capture)), stdout=asyncio.subprocess.PIPE
        )
        output, _ = await decoding.communicate()
        records = [json.loads(line) for line in output.splitlines()]
        return {
            record["requirement"]
            for record in records
            if record.get("event") == "requirement" and record["verdict"] == "broken"
        }

    async def named(self, fault: Fault, limit: int, captures: pathlib.Path) -> set[str]:
        """The requirements that a bench names: those that are broken, and those because of which a step failed."""
        bench = await self.start(
            fault.scenario, limit, captures, "faults.py", "--fault", fault.name
        )
        self.assertEqual(await bench.status(), 1, bench.report())
        broken = {
            record["requirement"]
            for record in bench.all("requirement", "linkRequirement")
            if record["result"] in ("failed", "broken")
        }
        reasons = {
            requirement
            for step in bench.all("step")
            if step["result"] == "failed"
            for reason in step["because"]
            for requirement in re.findall(r"\b[RSL][0-9]+\b", reason)
        }
        return broken | reasons

    async def problems(self, faults: list[Fault], patience: int) -> dict[str, str]:
        """Which faults benches and captures do not say, if each has so many times its limit to show."""

        def captures(fault: Fault) -> pathlib.Path:
            return self.lab.directory / f"captures-{fault.name}-{patience}"

        benches = (self.named(fault, fault.limit * patience, captures(fault)) for fault in faults)
        named = await asyncio.gather(*benches)
        problems: dict[str, str] = {}
        # Once the benches, whose time runs, are through.
        for fault, requirements in zip(faults, named, strict=True):
            seen = await self.seen(captures(fault))
            # However early a run ends, both have to say the same of it.
            self.assertLessEqual(seen, requirements, fault.name)
            may_be_seen = fault.requirement[0] in "RS" and fault.name not in UNSEEN
            if fault.requirement not in requirements:
                problem = f"{fault.requirement} expected, {sorted(requirements)} named"
            elif (fault.requirement in seen) != may_be_seen:
                problem = f"the capture breaks {sorted(seen)}"
            else:
                continue
            problems[fault.name] = f"{fault.name}, within {fault.limit * patience} s: {problem}"
        return problems

    async def test_each_planted_fault(self) -> None:
        self.assertGreaterEqual(len(FAULTS), 20)
        self.assertGreaterEqual(sum(bool(fault.seen) for fault in FAULTS), 10)
        problems = await self.problems(FAULTS, 1)
        # A run ends by the clock: where all of them and much else share the processors, the fault may not have
        # shown by then. Beside few others, and with twice as long, it has to.
        late = [fault for fault in FAULTS if fault.name in problems]
        problems = await self.problems(late, 2)
        self.assertEqual(problems, {}, "\n".join(problems.values()))
        await self.finish()

    async def test_an_accessory_without_a_fault(self) -> None:
        captures = self.lab.directory / "captures"
        bench = await self.start("conformance", 600, captures, "watch.py")
        self.assertEqual(await bench.status(), 0, bench.report())
        kept = [requirement for requirement in bench.all("requirement") if requirement["result"] == "passed"]
        self.assertGreater(len(kept), 30, bench.report())
        self.assertEqual(await self.seen(captures), set())
        await self.finish()
