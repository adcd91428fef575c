"""What is playing on a phone, from a media source on Bumble's stack to `ancs receive --media`."""

from __future__ import annotations

from typing import Any

from harness import InteropTest, Peer

PLAYER, TRACK = 0, 2
TITLE = "sixteen octets: é und so weiter, bis der Titel für mehrere Teile lang genug ist: 通知"


class Media(InteropTest):
    """One phone with a player, and one accessory."""

    async def playing(self, *arguments: str) -> tuple[Peer, Peer]:
        """A phone that plays, and an accessory that was told what."""
        await self.lab.start_controllers()
        phone = await self.lab.start_phone(*arguments)
        for entity, attribute, text in [
            (PLAYER, 0, "Music"),
            # A decimal comma, and with it more fields than there are.
            (PLAYER, 1, "1,1,00,12,5"),
            (TRACK, 2, TITLE),
            (TRACK, 1, "A" * 512),
        ]:
            phone.tell("media", entity=entity, attribute=attribute, text=text)
        accessory = await self.lab.start_accessory("--media")
        await accessory.expect("media", title=TITLE, album="A" * 512)
        return phone, accessory

    async def test_cut_values_are_read_whole_and_commands_reach_the_player(self) -> None:
        phone, accessory = await self.playing("--media", "plain", "--mtu", "23")
        shown = [line for line in accessory.all("media") if "title" in line]
        for line in shown:
            self.assertIn(line["title"], (TITLE, "sixteen octets: "))
            self.assertEqual("title" in line.get("truncated", []), line["title"] != TITLE)
        # It has run on since.
        self.assertGreaterEqual(shown[-1]["position"], 12.5)
        self.assertEqual(shown[-1]["playback"], "playing")
        registered = [line["octets"] for line in phone.all("mediaRegistered")]
        self.assertEqual(registered, ["0000010203", "0100010203", "0200010203"])
        for word, octet in [("play", 0), ("pause", 1), ("next", 3), ("previous", 4), ("+", 5), ("-", 6)]:
            accessory.write(word)
            await phone.expect("mediaCommand", command=f"{octet:02x}")
            await accessory.expect("command", result="accepted")
        # A notification of ANCS arrives beside all of it.
        await self.exchange(phone, accessory, "Ada")
        phone.tell("media", entity=TRACK, attribute=2, text="Next")
        await accessory.expect("media", title="Next")
        await self.finish()

    async def test_a_characteristic_without_a_descriptor_costs_only_what_it_would_send(self) -> None:
        phone, accessory = await self.playing("--media", "no-descriptor")
        accessory.write("play")
        refused: dict[str, Any] = await accessory.expect("command", result="failed")
        self.assertIn("does not support", refused["failure"])
        self.assertEqual(phone.all("mediaCommand"), [])
        await self.exchange(phone, accessory, "Ada")
        await self.finish()

    async def test_whoever_does_not_ask_makes_no_request(self) -> None:
        phone, accessory = await self.connect("--media", "plain")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Ada")
        accessory.write("play")
        await accessory.until(lambda: any("not understood" in line for line in accessory.errors), "an answer")
        self.assertEqual(phone.all("mediaRegistered", "mediaRead", "mediaCommand"), [])
        self.assertEqual(accessory.all("media"), [])
        await self.finish()
