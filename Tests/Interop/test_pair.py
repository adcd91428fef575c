"""`ancs pair`: the dialogue that guides a user from an empty list to the first notification."""

from __future__ import annotations

import json
import signal
import sys

import jsonschema

from harness import HERE, ROOT, Peer
from test_serve import Daemon

CALM = ("--consent", "content-later")
"""An iPhone whose user has not allowed notifications: subscriptions succeed, commands do not."""


def schema() -> jsonschema.Draft202012Validator:
    """What a line of `ancs pair --json` has to look like."""
    text = (ROOT / "Documentation/Schemas/pair.schema.json").read_text()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


class Dialogue(Daemon):
    """What the user of `ancs pair` reads."""

    async def on_air(self, **settings: str) -> Peer:
        """A daemon that phones can find."""
        daemon = await self.serve(**settings)
        while "phones can find" not in await self.ancs("status"):
            pass
        return daemon

    async def start_pair(self, *words: str) -> Peer:
        """The command, once it has said that pairing is open."""
        pairing = await self.lab.start("pair", *self.command("pair", "--json", *words))
        await pairing.expect("pairing", step="opened")
        return pairing

    async def ended(self, pairing: Peer, status: int) -> tuple[list[str], dict[str, object]]:
        """Waits for the end; gives the words of the steps, and the last one."""
        self.assertEqual(await pairing.status(), status, pairing.report())
        for record in pairing.records:
            for error in schema().iter_errors(record):
                self.fail(f"{record}: {error.message}")
        self.assertEqual(pairing.garbage, [])
        steps = [record for record in pairing.records if "step" in record]
        numbers = [step["number"] for step in steps]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        return [str(step["step"]) for step in steps], steps[-1]

    async def interrupted(self, pairing: Peer) -> list[str]:
        """Its user gives up; gives the words of the steps."""
        pairing.process.send_signal(signal.SIGINT)
        words, _ = await self.ended(pairing, 1)
        self.assertIn("ancs: interrupted", pairing.errors)
        self.assertNotIn("ended", words)
        self.assertFalse(json.loads(await self.ancs("status", "--json"))["pairingWindow"])
        return words

    async def test_a_phone_that_never_comes(self) -> None:
        await self.on_air()
        pairing = await self.start_pair("--seconds", "1")
        words, last = await self.ended(pairing, 1)
        self.assertEqual(words, ["opened", "onAir", "ended"])
        self.assertEqual((last["result"], last["cause"]), ("failed", "noDevice"))
        self.assertIn("no device has connected", pairing.errors[-1])

    async def test_an_app_that_connects_without_pairing(self) -> None:
        await self.on_air()
        pairing = await self.start_pair("--seconds", "3600")
        central = await self.lab.start(
            "central", sys.executable, str(HERE / "central.py"), "--hci", self.lab.phone_moniker,
            "--bonds", str(self.lab.directory / "central.json"),
        )
        await central.expect("ready")
        central.tell("scan", on=True)
        address = (await central.expect("advertisement"))["address"]
        central.tell("connect", address=address)
        # It is asked to pair, and does not answer.
        await central.expect("securityRequest")
        step = await pairing.expect("pairing", step="connected")
        self.assertIn("confirm the pairing there", step["text"])
        words = await self.interrupted(pairing)
        self.assertEqual(words[:3], ["opened", "onAir", "connected"])
        self.assertNotIn("paired", words)

    async def test_a_phone_whose_user_refuses(self) -> None:
        await self.on_air(require="authentication")
        pairing = await self.start_pair()
        phone = await self.lab.start_phone("--io", "yesno")
        asks = await pairing.expect("pairing", step="asks")
        self.assertEqual(asks["question"], "compare")
        shown = await phone.expect("pairing", ask="confirm")
        question = await pairing.expect("pairing", ask="confirm")
        self.assertEqual(question["value"], shown["value"])
        phone.tell("confirm", yes=False)
        failed = await pairing.expect("pairing", step="failed")
        self.assertIn("the other device refused to pair", failed["text"])
        words = await self.interrupted(pairing)
        self.assertNotIn("paired", words)

    async def test_a_user_who_says_no_here(self) -> None:
        await self.on_air(require="authentication")
        pairing = await self.start_pair()
        phone = await self.lab.start_phone("--io", "yesno")
        await pairing.expect("pairing", ask="confirm")
        pairing.write("no")
        await pairing.expect("pairing", step="declined")
        await phone.expect("pairingFailed")
        words = await self.interrupted(pairing)
        # What the user did is not said again as a failure of the other device.
        self.assertNotIn("failed", words)

    async def test_a_phone_that_allows_its_notifications_later(self) -> None:
        await self.on_air()
        pairing = await self.start_pair()
        phone = await self.lab.start_phone(*CALM)
        step = await pairing.expect("pairing", step="consentMissing")
        self.assertIn("Share System Notifications", step["text"])
        self.assertIsNone(pairing.process.returncode)
        phone.tell("consent", given=True)
        words, last = await self.ended(pairing, 0)
        self.assertEqual((words[-1], last["result"]), ("ended", "receiving"))
        self.assertEqual(last["name"], "Testphone")

    async def test_a_phone_that_shows_its_notifications_later(self) -> None:
        await self.on_air()
        pairing = await self.start_pair()
        phone = await self.lab.start_phone("--hidden")
        await pairing.expect("pairing", step="noService")
        phone.tell("show")
        words, last = await self.ended(pairing, 0)
        self.assertEqual((words[-1], last["result"]), ("ended", "receiving"))

    async def test_two_who_pair_at_once_read_the_same(self) -> None:
        daemon = await self.on_air()
        first, second = await self.start_pair(), await self.start_pair("--seconds", "60")
        await self.lab.start_phone()
        (words, last), (others, _) = await self.ended(first, 0), await self.ended(second, 0)
        self.assertEqual(words, others)
        self.assertEqual(first.records, second.records)
        # Pairing is open once, for the longer of both times.
        self.assertEqual(words.count("opened"), 1)
        self.assertEqual(last["result"], "receiving")
        self.assertTrue(any(line == "ancs: pairing is open for 120 seconds" for line in daemon.errors))

    async def test_the_screen_is_sentences_and_a_name_does_not_move_its_cursor(self) -> None:
        await self.on_air()
        pairing = await self.lab.start("pair", *self.command("pair"))
        await pairing.until(lambda: len(pairing.garbage) > 1, "that it is on air")
        phone = await self.lab.start_phone("--name", "Ada\x1b[2J's iPhone")
        self.assertEqual(await pairing.status(), 0, pairing.report())
        self.assertEqual(pairing.records, [])
        self.assertEqual(
            pairing.garbage[:2],
            [
                "pairing is open for 120 seconds",
                f"'Desk' is on air ({self.lab.accessory_moniker}, without bluetoothd): choose it in "
                "Settings > Bluetooth on the phone",
            ],
        )
        self.assertEqual(
            pairing.garbage[-1].split("; "),
            [r"receiving from 'Ada\u{1B}[2J's iPhone'",
             "music can pause during calls: pause-media in the section [desktop] of the configuration"],
        )
        self.assertEqual(await phone.terminate(), 0)
