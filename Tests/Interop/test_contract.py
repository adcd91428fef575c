"""Programs as users of version 0.1 wrote them, with nothing but its documentation: they go on working."""

from __future__ import annotations

import json
import os
import pathlib
import re

from broker import Broker
from harness import BINARY, ROOT, InteropTest, Peer, eventually
from test_mqtt import AtBroker

SCRIPTS = ROOT / "Tests/Contract/scripts"


def path_with_ancs(directory: pathlib.Path) -> str:
    """A PATH on which `ancs` is the program of the test."""
    folder = directory / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "ancs"
    if program.exists():  # a shell may be reading it
        return f"{folder}:{os.environ['PATH']}"
    program.write_text('#!/bin/sh\nexec ' + " ".join(BINARY) + ' "$@"\n')
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


class Scripts(InteropTest):
    """Scripts around one command."""

    async def start(self, name: str, *words: str, **environment: str) -> Peer:
        """Starts a script with `ancs` on its PATH."""
        path = path_with_ancs(self.lab.directory)
        settings = [f"{key}={value}" for key, value in environment.items()]
        return await self.lab.start(name, "env", f"PATH={path}", *settings, *words)

    async def test_a_line_of_a_bar_counts_notifications(self) -> None:
        await self.lab.start_controllers()
        bar = await self.start(
            "bar", str(SCRIPTS / "waybar.py"), ANCS_HCI=self.lab.accessory_moniker,
            XDG_STATE_HOME=str(self.lab.directory / "state"),
        )
        self.addAsyncCleanup(bar.terminate)
        phone = await self.lab.start_phone()

        async def shown(**wanted: str) -> None:
            await bar.until(
                lambda: any(wanted.items() <= record.items() for record in bar.records),
                str(wanted),
            )

        await shown(**{"class": "connected"})
        await shown(**{"class": "encrypted"})
        await shown(**{"class": "subscribed", "text": "0"})
        phone.tell("post", title="Ada", message="Lunch?", tag="lunch")
        await shown(text="1")
        phone.tell("remove", tag="lunch")
        await bar.until(lambda: bar.records[-1]["text"] == "0", "none")
        phone.tell("disconnect", reconnect=False)
        await shown(**{"class": "ended"})
        # A line for each word that has a successor, and no more.
        said = [line for line in bar.errors if "version 0.1" in line]
        self.assertEqual(len(said), 2, bar.report())
        self.assertTrue(any("'deliver'" in line and "'all'" in line for line in said))

    async def test_a_job_of_continuous_integration_names_broken_rules(self) -> None:
        ours = [*BINARY, "receive", "--state", str(self.lab.directory / "desk"), "--io", "none", "--hci"]
        job = await self.start("job", str(SCRIPTS / "ci.sh"), *ours)
        self.assertEqual(await job.status(), 0, job.report())
        text = "\n".join(job.garbage)
        self.assertRegex(text, r"passed [1-9]")
        self.assertIn("failed 0", text)
        self.assertNotIn("broken", text)
        self.assertEqual(len([line for line in job.errors if "'parameterRequests'" in line]), 1, job.report())


class AtHome(AtBroker):
    """Programs around the daemon."""

    async def test_the_programs_of_a_home_work_with_the_daemon(self) -> None:
        directory = self.lab.directory
        broker = Broker(self.lab, secure=False)
        await broker.start()
        hook = directory / "hook.sh"
        hook.write_text((SCRIPTS / "hook.sh").read_text())
        hook.chmod(0o755)
        text = (SCRIPTS / "config.toml").read_text()
        for name, value in (
            ("ADAPTER", self.lab.accessory_moniker), ("PORT", str(broker.port)), ("HOOK", str(hook)),
        ):
            text = text.replace(f"@{name}@", value)
        user = f'username = "ancs"\npassword-file = "{broker.password_file}"\n'
        self.configuration.write_text(text.replace('name = "desk"', user + 'name = "desk"'))
        daemon = await self.lab.start(
            "daemon", *self.command("serve", "--config", str(self.configuration)),
            "--state", str(self.state),
        )
        await daemon.until(lambda: any("on the bus" in line for line in daemon.errors), "the bus")
        phone = await self.lab.start_phone()
        await self.pair(phone)
        await broker.value("/availability", "online")
        self.post(phone, app="com.apple.MobileSMS", title="Ada", message="Lunch?", category="social")
        log = directory / "log"
        await eventually(lambda: log.exists() and "added social" in log.read_text(), "the hook")
        self.assertIn("added social com.apple.MobileSMS note Ada", log.read_text())
        self.assertEqual(len([line for line in daemon.errors if "'headers'" in line]), 1)
        await self.ring(phone, broker)
        await self.ask_on_the_bus()
        self.assertIn("com.apple.MobileSMS", await self.ancs("apps"))
        self.assertEqual(await daemon.terminate(), 0)

    async def ring(self, phone: Peer, broker: Broker) -> None:
        """What Home Assistant's file reads is published, under the topics and with the words that it has."""
        phone.tell("ring", title="Bob")
        await broker.value("/call/ringing", "ON")
        await broker.event("/call/event", "incoming")
        phone.tell("remove", tag="call")
        await broker.value("/call/ringing", "OFF")
        await broker.event("/call/event", "ended")
        digest = broker.find("/availability").split("/")[2]
        template = (SCRIPTS / "ringing.yaml").read_text().replace("@PHONE@", digest)
        topics = re.findall(r"topic: (\S+)", template)
        words = re.findall(r"payload_(?:on|off|available|not_available): \"?(\w+)", template)
        members = re.findall(r"value_json\.(\w+)", template)
        for topic in topics:
            self.assertIsNotNone(broker.last(topic), topic)
        payloads = [message["payload"] for message in broker.messages if message["topic"] in topics]
        for word in words:
            self.assertTrue(word in payloads or word == "offline", word)
        for member in members:
            self.assertTrue(any(f'"{member}"' in payload for payload in payloads), member)

    async def ask_on_the_bus(self) -> None:
        """A client on the session bus gets an answer to each of its calls."""
        client = await self.lab.start(
            "client", "env", f"DBUS_SESSION_BUS_ADDRESS={self.address}", str(SCRIPTS / "bus.sh")
        )
        self.assertEqual(await client.status(), 0, client.report())
        text = "\n".join(client.garbage)
        for word in ("com.example.news", "com.apple.MobileSMS", "subscribed"):
            self.assertIn(word, text)
