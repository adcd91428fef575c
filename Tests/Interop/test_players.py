"""Music and calls: `ancs serve` among the players of a desktop, and a phone's player as one of them."""

from __future__ import annotations

import json
import shutil
import sys
import unittest

from broker import Broker
from harness import HERE, Peer, eventually
from test_serve import CANARY, Daemon

PAUSING = '[desktop]\npause-media = "ringing"\n'
SHOWN = "[media]\nmpris = true\n"
PLAYER, TRACK = 0, 2


class AmongPlayers(Daemon):
    """A daemon on a bus with players."""

    async def player(self, name: str, *arguments: str) -> Peer:
        """A player that has its name."""
        program = [sys.executable, str(HERE / "player.py"), name, *arguments]
        player = await self.lab.start(
            name, "env", f"DBUS_SESSION_BUS_ADDRESS={self.address}", *program
        )
        await player.expect("ready")
        return player

    def calls(self, player: Peer) -> list[str]:
        """What a player was told to do."""
        return [record["member"] for record in player.all("call")]

    async def until_called(self, player: Peer, *members: str) -> None:
        """Waits until a player has been told exactly this."""
        await player.until(lambda: self.calls(player) == list(members), f"calls {members}")

    async def until_remembered(self, *names: str) -> None:
        """Waits until the daemon has written down exactly these players."""
        file = self.state / "paused-players.json"
        wanted = [f"org.mpris.MediaPlayer2.{name}" for name in sorted(names)]

        def are_there() -> bool:
            return (json.loads(file.read_text()) if file.exists() else []) == wanted

        await eventually(are_there, f"{names} in the file")


class Pausing(AmongPlayers):
    """What happens to the music."""

    async def test_music_pauses_during_a_call_whoever_else_misbehaves(self) -> None:
        daemon, phone = await self.paired(PAUSING)
        vlc, huge = await self.player("vlc"), await self.player("huge", "--kind", "huge")
        hung = await self.player("hung", "--kind", "hung")
        liar = await self.player("liar", "--kind", "liar")
        second = await self.player("vlc", "--queue")
        idle = await self.player("idle", "--status", "Paused")
        used = await self.player("used")
        phone.tell("ring", title="Ada")
        for player in (vlc, huge, used):
            await self.until_called(player, "Pause")
        await self.until_called(liar, "Pause")
        used.tell("use", status="Playing")
        await self.until_remembered("huge", "vlc")
        self.assertEqual((self.state / "paused-players.json").stat().st_mode & 0o777, 0o600)
        phone.tell("remove", tag="call")
        await self.until_called(vlc, "Pause", "Play")
        await self.until_called(huge, "Pause", "Play")
        await self.until_remembered()
        hung.tell("proceed")
        # Another call: who hung before is paused now.
        phone.tell("ring", title="Ada")
        await self.until_called(hung, "Pause")
        phone.tell("remove", tag="call")
        await self.until_called(hung, "Pause", "Play")
        await self.until_called(used, "Pause", "Pause", "Play")
        self.assertEqual(self.calls(idle) + self.calls(second), [])
        self.assertEqual(await daemon.terminate(), 0)
        self.assertNotIn("music", "\n".join(daemon.errors))

    async def test_what_a_killed_daemon_has_paused_is_said_at_the_next_start(self) -> None:
        daemon, phone = await self.paired(PAUSING)
        vlc = await self.player("vlc")
        phone.tell("ring", title="Ada")
        await self.until_called(vlc, "Pause")
        await self.until_remembered("vlc")
        await daemon.kill()
        await self.lab.until_free(self.lab.accessory_moniker)
        again = await self.serve(PAUSING)
        said = [line for line in again.errors if "had paused vlc" in line]
        self.assertEqual(len(said), 1, again.errors)
        await self.until_remembered()
        self.assertEqual(await again.terminate(), 0)
        self.assertEqual(self.calls(vlc), ["Pause"])

    async def test_without_a_wish_no_player_is_asked(self) -> None:
        daemon, phone = await self.paired()
        vlc = await self.player("vlc")
        phone.tell("ring", title="Ada")
        while not await self.records():
            pass
        phone.tell("remove", tag="call")
        while await self.records():
            pass
        self.assertEqual(await daemon.terminate(), 0)
        self.assertEqual(self.calls(vlc), [])


class PhonePlayers(AmongPlayers):
    """The player of a phone."""

    async def playing(self, text: str, *lines: str) -> tuple[Peer, Peer]:
        """A daemon, and a phone that plays."""
        daemon, phone = await self.paired(text, "--media", "plain", *lines)
        for entity, attribute, value in [
            (PLAYER, 0, "Music"), (PLAYER, 1, "1,1.0,12.5"), (PLAYER, 2, "0.5"),
            (TRACK, 0, "Debussy"), (TRACK, 2, CANARY), (TRACK, 3, "300"),
        ]:
            phone.tell("media", entity=entity, attribute=attribute, text=value)
        return daemon, phone

    async def until_playing(self, title: str) -> dict[str, object]:
        """Waits until `ancs status` has a title; gives the player."""
        while True:
            (phone,) = json.loads(await self.ancs("status", "--json"))["phones"]
            if phone.get("player", {}).get("title") == title:
                return phone["player"]

    async def playerctl(self, *words: str) -> str:
        """Runs playerctl to its end."""
        peer = await self.lab.start(
            "playerctl", "env", f"DBUS_SESSION_BUS_ADDRESS={self.address}", "playerctl", *words
        )
        self.assertEqual(await peer.status(), 0, peer.report())
        return "\n".join([json.dumps(record) for record in peer.records] + peer.garbage)

    @unittest.skipUnless(shutil.which("playerctl"), "playerctl is not installed")
    async def test_playerctl_shows_the_phone_and_commands_it(self) -> None:
        daemon, phone = await self.playing(PAUSING + SHOWN)
        player = await self.until_playing(CANARY)
        self.assertEqual((player["state"], player["app"]), ("playing", "Music"))
        self.assertIn(f"playing: {CANARY}, Debussy (Music)", await self.ancs("status"))
        (name,) = (await self.playerctl("--list-all")).splitlines()
        self.assertTrue(name.startswith("ancs.phone_"), name)
        shape = "{{status}} {{artist}} {{title}} {{duration(mpris:length)}}"
        self.assertEqual(
            await self.playerctl("metadata", "--format", shape), f"Playing Debussy {CANARY} 5:00"
        )
        self.assertGreaterEqual(float(await self.playerctl("position")), 12.5)
        for word, octet in [("play", 0), ("pause", 1), ("next", 3), ("previous", 4)]:
            await self.playerctl(word)
            await phone.expect("mediaCommand", command=f"{octet:02x}")
        await self.playerctl("volume", "0.6")
        await phone.expect("mediaCommand", command="05")
        # A call does not pause the phone's own player, which the phone does itself.
        vlc = await self.player("vlc")
        phone.tell("ring", title="Ada")
        await self.until_called(vlc, "Pause")
        phone.tell("remove", tag="call")
        await self.until_called(vlc, "Pause", "Play")
        self.assertEqual(phone.all("mediaCommand")[5:], [])
        phone.tell("disconnect", reconnect=False)
        while name in await self.playerctl("--list-all"):
            pass
        self.assertEqual(await daemon.terminate(), 0)
        self.assertNotIn("canary-4711", "\n".join(daemon.errors))

    async def test_a_phone_is_not_asked_what_it_plays_without_a_wish(self) -> None:
        daemon, phone = await self.playing(PAUSING)
        phone.tell("post", title="Ada", message="Lunch?")
        await self.until_listed("Ada")
        self.assertEqual(await daemon.terminate(), 0)
        self.assertEqual(phone.all("mediaRegistered", "mediaRead"), [])

    async def test_a_broker_gets_no_title_unless_the_configuration_says_so(self) -> None:
        broker = Broker(self.lab)
        await broker.start()
        daemon, _ = await self.playing(broker.section + "media = true\n")
        await self.until_playing(CANARY)
        await broker.value("/player", lambda value: json.loads(value)["state"] == "playing")
        await broker.value("/player", lambda value: json.loads(value)["app"] == "Music")
        self.assertEqual(await daemon.terminate(), 0)
        for message in broker.messages:
            self.assertNotIn("canary-4711", json.dumps(message, ensure_ascii=False))
        self.assertNotIn("canary-4711", "\n".join(daemon.errors))

    async def test_a_home_sees_the_title_and_has_buttons(self) -> None:
        broker = Broker(self.lab)
        await broker.start()
        text = 'content = "full"\nmedia = true\ncommands = true\n'
        _, phone = await self.playing(broker.section + text)
        await broker.value("/player", lambda value: json.loads(value)["title"] == CANARY)
        topic = broker.find("/availability").replace("availability", "perform")
        await broker.publish(topic, '{"player":"next"}')
        await phone.expect("mediaCommand", command="03")
