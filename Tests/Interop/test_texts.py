"""Texts of strangers through the daemon: programs get them as they came, and people see none of their tricks."""

from __future__ import annotations

import json
import unicodedata

from broker import Broker
from harness import eventually
from test_serve import Daemon

ENGLAND = "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"
TEXTS = [
    "สวัสดีครับ เจอกัน 10:30 น.",
    "مرحبا، الرمز ٤٨٢٩١٣ صالح",
    "\u200fשלום\u200f, הקוד 482913",
    "क्\u200dष और क्\u200cष",
    "می\u200cخواهم",
    "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈",
    "🇩🇪🇺🇦 " + ENGLAND,
    "Z\u0351\u036b\u0343a\u0363\u0368l\u034bg\u036co",
    "தமிழ் செய்தி",
    "မင်္ဂလာပါ",
    "ᠮᠣᠩᠭᠣᠯ\u180e",
    "辻\U000E0100さん",
    "ＡＢＣ１２３",
    "ا\u064e\u0650\u0651\u0652" * 8,
    "\u202d+1\u00a0(555)\u00a0010-0100\u202c",
    "\u2067+972 50-123-4567\u2069 אבא",
    # What could mislead.
    "invoice\u202efdp.exe",
    "\u202egnp.exe\u202c.pdf",
    "\u2067\u202eabc\u2069def",
    "\u202c\u2069end",
    "\u200e" * 50 + "Bank",
    "Ada\nMessages: Bank\n+ 2 · incomingCall",
    "Ada\u2028Bank",
    "a\x1b[2J\x1b]0;x\x07b",
    "\x9b31mC1",
    "a\u200bb\u2060c\ufeffd",
    "x\U000E0041\U000E0042",
    "\ufdd0\U0001FFFE",
    "\u3164",
    "a\ufe00\ufe01\U000E0101",
    "{{ 1 + 1 }} <b>&amp;</b> %s $(id)",
]
SEEN = ("+1\u00a0(555)\u00a0010-0100", r"invoice\u{202E}fdp.exe", r"Ada\nMessages: Bank", ENGLAND, "क्\u200dष")


def tricks(printed: str) -> set[str]:
    """Characters that move the cursor, turn the direction or are not seen; joiners are none."""
    shown = set(printed.replace(ENGLAND, "")) - {"\n", "\u200c", "\u200d"}
    hidden = ("Cc", "Cf", "Zl", "Zp", "Cn")
    return {c for c in shown if unicodedata.category(c) in hidden or c == "\u3164"}


class Strangers(Daemon):
    """What strangers write."""

    async def lines(self, *words: str) -> list[dict[str, object]]:
        """What a command prints with `--json`."""
        peer = await self.lab.start(words[0], *self.command(*words, "--json"))
        self.assertEqual(await peer.status(), 0, peer.report())
        return peer.records

    async def test_no_trick_reaches_a_person_and_every_program_gets_the_text(self) -> None:
        broker = Broker(self.lab, secure=False)
        await broker.start()
        told = self.lab.directory / "told"
        told.touch()
        history = ("history", "--state", str(self.state))
        program = f'["/bin/sh", "-c", "test $ANCS_EVENT = added && cat >> {told}"]'
        daemon, phone = await self.paired(
            broker.section + 'content = "full"\n[history]\nkeep = "7d"\n[[rule]]\nname = "tell"\n'
            f'match = {{ category = "social" }}\ndo = ["show", {{ run = {program} }}]\n'
        )
        for text in TEXTS:
            phone.tell("post", title=text, message=text, category="social")

        def hooked() -> list[dict[str, object]]:
            return [json.loads(line) for line in told.read_text().split("\n") if line]

        def published() -> list[dict[str, object]]:
            events = [m["payload"] for m in broker.messages if m["topic"].endswith("/event")]
            return [line for line in map(json.loads, events) if line["event_type"] == "added"]

        await eventually(lambda: len(hooked()) == len(TEXTS), "a program for each")
        await eventually(lambda: len(published()) == len(TEXTS), "a publication of each")
        # It is written when some have come together.
        while len(await self.lines(*history)) < len(TEXTS):
            pass
        # A bus carries no noncharacters.
        on_bus = [text.replace("\ufdd0\U0001FFFE", "\ufffd\ufffd") for text in TEXTS]
        for place, lines, wanted in [
            ("the list", await self.lines("list"), on_bus),
            ("the history", await self.lines(*history), TEXTS),
            ("programs", hooked(), TEXTS),
            ("MQTT", published(), TEXTS),
        ]:
            for field in ("title", "message"):
                self.assertEqual(sorted(str(line[field]) for line in lines), sorted(wanted), place)
        for command in [("list",), history, ("apps",), ("status",)]:
            printed = await self.ancs(*command)
            self.assertEqual(tricks(printed), set(), command)
        printed = await self.ancs("list")
        for seen in SEEN:
            self.assertIn(seen, printed)
        self.assertEqual(await daemon.terminate(), 0)
        self.assertNotIn("482913", "\n".join(daemon.errors))
