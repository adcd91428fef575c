"""`ancs phone --grade link`: Apple's requirements for the link, judged with an accessory of another stack."""

from __future__ import annotations

import sys

from harness import BINARY, HERE, InteropTest

ADDRESS = "C0:DE:00:00:00:01"
FLAGS = "020106"
NAME = "0709" + b"Bumble".hex()


class LinkGrade(InteropTest):
    """A peripheral without ANCS, found by its address and left as it was."""

    async def examine(self, data: str) -> dict[str, dict[str, object]]:
        """The verdicts on a peripheral with these advertising data, by the requirement."""
        await self.lab.start_controllers()
        peripheral = await self.lab.start(
            "peripheral",
            *(sys.executable, str(HERE / "peripheral.py"), "--hci", self.lab.accessory_moniker),
            *("--address", ADDRESS, "--data", data, "--table"),
        )
        await peripheral.expect("ready")
        phone = await self.lab.start(
            "own phone",
            *(*BINARY, "phone", "--json", "--hci", self.lab.phone_moniker),
            *("--grade", "link", "--accessory", ADDRESS),
        )
        await phone.expect("result")
        self.assertEqual(peripheral.all("paired", "pairing"), [])
        self.assertEqual(phone.all("session", "command", "subscription"), [])
        verdicts = {line["requirement"]: line for line in phone.all("linkRequirement")}
        broken = [requirement for requirement, line in verdicts.items() if line["result"] == "broken"]
        self.assertEqual(await phone.status(), 1 if broken else 0, phone.report())
        await self.finish()
        return verdicts

    async def test_a_peripheral_without_ancs(self) -> None:
        verdicts = await self.examine(FLAGS + NAME)
        self.assertEqual(verdicts["A2"]["result"], "kept")
        self.assertEqual(verdicts["P2"]["result"], "kept")
        self.assertEqual(verdicts["P1"]["result"], "notSeen")
        # Bumble asks for no parameters.
        self.assertEqual(verdicts["L1"]["result"], "notSeen")

    async def test_advertising_without_flags_is_told_by_its_requirement(self) -> None:
        verdicts = await self.examine(NAME)
        self.assertEqual(verdicts["A3"]["result"], "broken")
        self.assertTrue(verdicts["A3"]["evidence"])
        self.assertTrue(verdicts["A3"]["remedy"])
