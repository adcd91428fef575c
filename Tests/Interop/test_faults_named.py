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

    async def start(self, scenario: str, limit: int, program: str, *words: str) -> Peer:
        """Starts a bench with an accessory."""
        return await self.lab.start(
            " ".join((program, *words)),
            *(*BINARY, "bench", "--json", "--limit", str(limit), f"Scenarios/{scenario}.json"),
            *("--snoop", str(self.captures(*words))),
            *("--", sys.executable, str(HERE / program), "--hci", "tcp-client:{tcp}"),
            *("--state", "{dir}", *words),
        )

    def captures(self, *words: str) -> pathlib.Path:
        """The folder of the captures of an accessory's run."""
        return self.lab.directory / "-".join(("captures", *words)).replace("--", "")

    async def seen(self, *words: str) -> set[str]:
        """The requirements that the capture of an accessory breaks, in `ancs decode`."""
        capture = self.captures(*words) / "run-1-accessory.btsnoop"
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

    async def requirements(self, fault: Fault) -> set[str]:
        """The requirements that a bench names: those that are broken, and those because of which a step failed."""
        bench = await self.start(fault.scenario, fault.limit, "faults.py", "--fault", fault.name)
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

    async def test_each_planted_fault(self) -> None:
        self.assertGreaterEqual(len(FAULTS), 20)
        self.assertGreaterEqual(sum(bool(fault.seen) for fault in FAULTS), 10)
        named = await asyncio.gather(*map(self.requirements, FAULTS))
        missed = [
            f"{fault.name}: {fault.requirement} expected, {sorted(requirements)} named"
            for fault, requirements in zip(FAULTS, named, strict=True)
            if fault.requirement not in requirements
        ]
        self.assertEqual(missed, [], "\n".join(missed))
        # Once the benches, whose time runs, are through.
        unseen = set()
        for fault, requirements in zip(FAULTS, named, strict=True):
            seen = await self.seen("--fault", fault.name)
            self.assertLessEqual(seen, requirements, fault.name)
            if fault.requirement[0] in "RS" and fault.requirement not in seen:
                unseen.add(fault.name)
        self.assertEqual(unseen, set(UNSEEN))
        await self.finish()

    async def test_an_accessory_without_a_fault(self) -> None:
        bench = await self.start("conformance", 600, "watch.py")
        self.assertEqual(await bench.status(), 0, bench.report())
        kept = [requirement for requirement in bench.all("requirement") if requirement["result"] == "passed"]
        self.assertGreater(len(kept), 30, bench.report())
        self.assertEqual(await self.seen(), set())
        await self.finish()
