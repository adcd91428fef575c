"""A Home Assistant without a screen, in this process: its MQTT integration, and the automations of a file.

`home.py DIRECTORY PORT USER PASSWORD [AUTOMATIONS]`, with the Python of the environment that has `homeassistant`.
Each change of a state and each call of a service is a line of JSON on standard output; a line of JSON on standard
input, `{"press": ENTITY}`, presses a button, and `{"quit": true}` ends it.
"""

from __future__ import annotations

import asyncio
import json
import pathlib
import socket
import sys
from typing import Any

from homeassistant import bootstrap, runner
from homeassistant.const import EVENT_CALL_SERVICE, EVENT_STATE_CHANGED, __version__
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import device_registry, entity_registry

CONFIGURATION = """\
homeassistant:
  name: Test
  unit_system: metric
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: %d
automation: !include automations.yaml
"""


def tell(record: dict[str, Any]) -> None:
    """Writes a line."""
    print(json.dumps(record, default=str), flush=True)


def free_port() -> int:
    """A port for its web server, which nobody uses here and MQTT needs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def prepare(directory: pathlib.Path, port: int, user: str, password: str, automations: str) -> None:
    """Writes what Home Assistant reads: its configuration, and the entry that its user would have clicked."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "configuration.yaml").write_text(CONFIGURATION % free_port())
    (directory / "automations.yaml").write_text(automations)
    storage = directory / ".storage"
    storage.mkdir(exist_ok=True)
    entry = {
        "entry_id": "broker", "version": 1, "domain": "mqtt", "title": "broker",
        "data": {
            "broker": "127.0.0.1", "port": port, "username": user, "password": password,
            "discovery": True,
        },
        "options": {}, "pref_disable_new_entities": False, "pref_disable_polling": False,
        "source": "user", "unique_id": None, "disabled_by": None,
    }
    (storage / "core.config_entries").write_text(json.dumps({
        "version": 1, "minor_version": 1, "key": "core.config_entries",
        "data": {"entries": [entry]},
    }))


def watch(hass: HomeAssistant) -> None:
    """Tells of states and services."""

    @callback
    def changed(event: Event) -> None:
        state = event.data["new_state"]
        tell({
            "event": "state", "entity": event.data["entity_id"],
            "state": state and state.state, "attributes": dict(state.attributes) if state else {},
        })

    @callback
    def called(event: Event) -> None:
        tell({"event": "service", **event.data})

    hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    hass.bus.async_listen(EVENT_CALL_SERVICE, called)


def furnish(hass: HomeAssistant) -> None:
    """What the automations use, and this home does not have."""
    hass.states.async_set("media_player.living_room", "playing")
    for domain, service in (
        ("media_player", "media_pause"), ("media_player", "media_play"), ("tts", "speak"),
        ("light", "turn_on"),
    ):
        if not hass.services.has_service(domain, service):
            hass.services.async_register(domain, service, lambda call: None)


def registries(hass: HomeAssistant) -> dict[str, Any]:
    """The devices and the entities that there are."""
    devices = device_registry.async_get(hass).devices
    names = {device.id: device.name for device in devices.values()}
    return {
        "event": "registries",
        "devices": [
            {"name": device.name, "via": names.get(device.via_device_id)}
            for device in devices.values()
        ],
        "entities": [
            {"entity": entity.entity_id, "id": entity.unique_id, "device": names.get(entity.device_id)}
            for entity in entity_registry.async_get(hass).entities.values()
        ],
    }


async def obey(hass: HomeAssistant) -> None:
    """Does what standard input says."""
    reader = asyncio.StreamReader()
    await hass.loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        if "press" in command:
            await hass.services.async_call(
                "button", "press", {"entity_id": command["press"]}, blocking=True
            )
        if "set" in command:
            hass.states.async_set(command["set"], command["state"])
        if "registries" in command:
            tell(registries(hass))
        if "quit" in command:
            return


async def run(directory: pathlib.Path) -> None:
    """Runs until standard input says that it is enough."""
    # It has no screen: what shows pages, or keeps house for it, is not installed.
    bootstrap.CRITICAL_INTEGRATIONS = set()
    bootstrap.DEFAULT_INTEGRATIONS = set()
    configuration = runner.RuntimeConfig(config_dir=str(directory), skip_pip=True)
    hass = await bootstrap.async_setup_hass(configuration)
    if hass is None or hass.config.recovery_mode:
        raise SystemExit("Home Assistant does not start with this configuration")
    watch(hass)
    furnish(hass)
    await hass.async_start()
    tell({"event": "started", "version": __version__, "components": sorted(hass.config.components)})
    await obey(hass)
    await hass.async_stop()


def main() -> None:
    """Reads the command line."""
    directory, port, user, password, *automations = sys.argv[1:]
    text = pathlib.Path(automations[0]).read_text() if automations else "[]\n"
    prepare(pathlib.Path(directory), int(port), user, password, text)
    asyncio.run(run(pathlib.Path(directory)))


if __name__ == "__main__":
    main()
