"""The daemon and `ancs phone` at a real Home Assistant, run by `Scripts/homeassistant.sh`."""

from __future__ import annotations

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Interop"))

from broker import PASSWORDS, Broker  # noqa: E402
from harness import ROOT, Peer  # noqa: E402
from test_serve import CANARY, Daemon  # noqa: E402

PYTHON = ROOT / ".venv-homeassistant/bin/python"
PHONE = "ada_s_iphone"
ENTITIES = {
    "binary_sensor.desk_running", "sensor.desk_phones",
    f"event.{PHONE}_notification", f"event.{PHONE}_call", f"binary_sensor.{PHONE}_ringing",
    f"binary_sensor.{PHONE}_in_a_call",
    f"sensor.{PHONE}_active_notifications", f"sensor.{PHONE}_missed_calls",
    f"binary_sensor.{PHONE}_connected", f"button.{PHONE}_answer_call",
    f"button.{PHONE}_decline_call", f"button.{PHONE}_clear_last_notification",
}
PLAYER = {
    f"sensor.{PHONE}_player", f"sensor.{PHONE}_player_app", f"sensor.{PHONE}_title",
    f"sensor.{PHONE}_artist", f"sensor.{PHONE}_album", f"button.{PHONE}_play_or_pause",
    f"button.{PHONE}_next_track", f"button.{PHONE}_previous_track",
}


def automations() -> str:
    """The automations of the page, as they stand there."""
    page = (ROOT / "Documentation/HomeAssistant.md").read_text()
    return page.split("```yaml\n")[1].split("```")[0]


class AtHome(Daemon):
    """A daemon, a phone, a broker and a Home Assistant."""

    async def home(self, broker: Broker) -> Peer:
        """Starts Home Assistant, which finds what the broker has."""
        written = self.lab.directory / "automations.yaml"
        written.write_text(automations())
        home = await self.lab.start(
            "home", str(PYTHON), str(HERE / "home.py"), str(self.lab.directory / "home"),
            str(broker.port), "home", PASSWORDS["home"], str(written),
        )
        await home.expect("started")
        return home

    async def at_home(self, *lines: str) -> tuple[Peer, Peer, Peer]:
        """All of them, with a session."""
        broker = Broker(self.lab, secure=False)
        await broker.start()
        home = await self.home(broker)
        daemon = await self.serve(broker.section + "commands = true\n" + "\n".join(lines))
        phone = await self.lab.start_own_phone("--name", "Ada's iPhone")
        pairing = await self.lab.start("pair", *self.command("pair"))
        await pairing.until(
            lambda: any("does the phone show" in line for line in pairing.garbage), "a question"
        )
        await phone.expect("pairing", ask="confirm")
        pairing.write("yes")
        phone.write("yes")
        self.assertEqual(await pairing.status(), 0, pairing.report())
        await self.until_state(home, f"binary_sensor.{PHONE}_connected", "on")
        return daemon, phone, home

    async def until_state(self, home: Peer, entity: str, state: str) -> None:
        """Waits until an entity has a state."""
        await home.expect("state", entity=entity, state=state)

    async def until_event(self, home: Peer, entity: str, kind: str) -> None:
        """Waits until an event entity had an event."""
        await home.expect("state", entity=entity, attributes={"event_type": kind})

    async def test_two_devices_with_twelve_entities(self) -> None:
        daemon, _, home = await self.at_home()
        home.write('{"registries": true}')
        seen = await home.expect("registries")
        self.assertEqual(
            sorted(seen["devices"], key=str),
            sorted([{"name": "Desk", "via": None}, {"name": "Ada's iPhone", "via": "Desk"}], key=str),
        )
        ours = {entity["entity"] for entity in seen["entities"] if entity["device"]}
        self.assertEqual(ours, ENTITIES)
        self.assertEqual(await daemon.terminate(), 0)
        await self.until_state(home, "binary_sensor.desk_running", "off")
        await self.until_state(home, f"binary_sensor.{PHONE}_ringing", "unavailable")

    async def test_a_call_and_its_buttons(self) -> None:
        _, phone, home = await self.at_home()
        await self.until_state(home, f"binary_sensor.{PHONE}_ringing", "off")
        phone.write("call Ada")
        await self.until_state(home, f"binary_sensor.{PHONE}_ringing", "on")
        await self.until_event(home, f"event.{PHONE}_call", "incoming")
        home.write(f'{{"press": "button.{PHONE}_decline_call"}}')
        await self.until_state(home, f"binary_sensor.{PHONE}_ringing", "off")
        await self.until_event(home, f"event.{PHONE}_call", "ended")
        phone.write("call Bob")
        phone.write("answer")
        await self.until_event(home, f"event.{PHONE}_call", "answered")
        await self.until_state(home, f"binary_sensor.{PHONE}_in_a_call", "on")
        phone.write("hangUp")
        await self.until_state(home, f"binary_sensor.{PHONE}_in_a_call", "off")
        await self.until_event(home, f"event.{PHONE}_call", "ended")
        phone.write("post Messages Ada")
        await self.until_event(home, f"event.{PHONE}_notification", "added")
        home.write(f'{{"press": "button.{PHONE}_clear_last_notification"}}')
        await self.until_event(home, f"event.{PHONE}_notification", "removed")

    async def test_the_automations_of_the_page(self) -> None:
        _, phone, home = await self.at_home('content = "full"')
        phone.write(f"call '{CANARY}'")
        await home.expect("service", domain="media_player", service="media_pause")
        spoken = await home.expect("service", domain="tts", service="speak")
        self.assertEqual(spoken["service_data"]["message"], f"{CANARY} is calling")
        phone.write("stop")
        await home.expect("service", domain="media_player", service="media_play")
        flash = await home.expect("service", domain="light", service="turn_on")
        self.assertEqual(flash["service_data"]["flash"], "long")

    async def test_the_player_of_the_phone_and_its_buttons(self) -> None:
        _, phone, home = await self.at_home('content = "full"', "media = true")
        phone.write("player Music")
        phone.write("track 'Clair de lune' Debussy Suite")
        phone.write("play")
        await self.until_state(home, f"sensor.{PHONE}_player", "playing")
        await self.until_state(home, f"sensor.{PHONE}_title", "Clair de lune")
        home.write('{"registries": true}')
        seen = await home.expect("registries")
        ours = {entity["entity"] for entity in seen["entities"] if entity["device"]}
        self.assertEqual(ours, ENTITIES | PLAYER)
        # The automation of the page.
        home.write('{"set": "media_player.television", "state": "playing"}')
        await self.until_state(home, f"sensor.{PHONE}_player", "paused")

    async def test_home_assistant_that_starts_later_finds_everything(self) -> None:
        broker = Broker(self.lab, secure=False)
        await broker.start()
        await self.serve(broker.section)
        home = await self.home(broker)
        await self.until_state(home, "binary_sensor.desk_running", "on")


if __name__ == "__main__":
    unittest.main()
