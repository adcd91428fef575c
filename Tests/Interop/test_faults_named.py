"""`ancs bench` names the fault of an accessory: each variant in `faults.py`, by its requirement."""

from __future__ import annotations

import asyncio
import re
import sys

from faults import FAULTS, Fault
from harness import BINARY, HERE, InteropTest, Peer


class FaultsNamed(InteropTest):
    """What a bench says of accessories that have one fault, and of the one that has none."""

    async def start(self, scenario: str, limit: int, program: str, *words: str) -> Peer:
        """Starts a bench with an accessory."""
        return await self.lab.start(
            " ".join((program, *words)),
            *(*BINARY, "bench", "--json", "--limit", str(limit), f"Scenarios/{scenario}.json"),
            *("--", sys.executable, str(HERE / program), "--hci", "tcp-client:{tcp}"),
            *("--state", "{dir}", *words),
        )

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
        await self.finish()

    async def test_an_accessory_without_a_fault(self) -> None:
        bench = await self.start("conformance", 600, "watch.py")
        self.assertEqual(await bench.status(), 0, bench.report())
        kept = [requirement for requirement in bench.all("requirement") if requirement["result"] == "passed"]
        self.assertGreater(len(kept), 30, bench.report())
        await self.finish()
