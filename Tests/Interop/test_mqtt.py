"""`ancs serve` at a broker: mosquitto with TLS, users and an access list, and brokers that are no good."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import signal
import time

import jsonschema
from broker import BadBroker, Broker, publication
from harness import HERE, Peer, eventually
from phone_gatt import local_time
from test_serve import CANARY, Daemon


class AtBroker(Daemon):
    """A daemon at a broker."""

    def log(self, daemon: Peer) -> str:
        """What the daemon said."""
        return "\n".join(daemon.errors)

    async def until_said(self, daemon: Peer, text: str) -> None:
        """Waits for something in the log."""
        await daemon.until(lambda: text in self.log(daemon), text)

    def post(self, phone: Peer, zone: int = 0, **fields: str) -> None:
        """Posts a notification of now, by a clock in a zone."""
        phone.tell("post", date=local_time(zone).strftime("%Y%m%dT%H%M%S"), **fields)

    async def at(
        self, broker: Broker, *lines: str, options: tuple[str, ...] = ()
    ) -> tuple[Peer, Peer]:
        """A daemon and a phone that has a session with it, at a broker that sees both."""
        await broker.start()
        daemon, phone = await self.paired(broker.section + "\n".join(lines), *options)
        await broker.value("/availability", "online")
        return daemon, phone


class HomeAutomation(AtBroker):
    """What a home gets, and what it can ask for."""

    async def test_notifications_and_calls_come_without_their_texts(self) -> None:
        broker = Broker(self.lab)
        daemon, phone = await self.at(broker)
        self.post(phone, app="com.apple.MobileSMS", title=CANARY, message=CANARY, category="social")
        event = await broker.event("/event", "added")
        self.assertEqual((event["category"], event["app"]), ("social", "com.apple.MobileSMS"))
        await broker.value("/counts", lambda value: json.loads(value)["total"] == 1)
        phone.tell("ring", title=CANARY)
        await broker.value("/call/ringing", "ON")
        await broker.event("/call/event", "incoming")
        phone.tell("remove", tag="call")
        await broker.value("/call/ringing", "OFF")
        await broker.event("/call/event", "ended")
        phone.tell("disconnect", reconnect=False)
        await broker.value("/availability", "offline")
        self.assertEqual(await daemon.terminate(), 0)
        await broker.value("/status", "offline")
        for message in broker.messages:
            self.assertNotIn("canary-4711", json.dumps(message, ensure_ascii=False))
        self.assertNotIn("canary-4711", self.log(daemon))

    async def test_a_phone_that_is_five_hours_behind_loses_no_event(self) -> None:
        broker = Broker(self.lab)
        _, phone = await self.at(broker, 'content = "full"', options=("--zone", "-300"))
        # The first one at once, the others after the clock was read.
        for title in ("first", "second", "third"):
            self.post(phone, zone=-300, title=title)
            event = await broker.event("/event", "added", title=title)
            if title == "first":
                await phone.expect("subscribed", characteristic="currentTime")
        self.assertRegex(event["date"], "-05:00$")

    async def test_who_calls_is_said_where_the_configuration_says_so(self) -> None:
        broker = Broker(self.lab)
        _, phone = await self.at(broker, 'content = "full"')
        phone.tell("ring", title=CANARY)
        await broker.value("/call/current", lambda value: json.loads(value).get("caller") == CANARY)

    async def test_buttons_act_on_the_phone(self) -> None:
        broker = Broker(self.lab)
        _, phone = await self.at(broker, "commands = true")
        topic = broker.find("/availability").replace("availability", "perform")
        phone.tell("ring", title="Ada")
        await broker.value("/call/ringing", "ON")
        await broker.publish(topic, '{"call":"negative"}')
        command = await phone.expect("command", command="performNotificationAction")
        self.assertEqual(command["action"], "negative")
        await broker.value("/call/ringing", "OFF")
        self.post(phone, title="Ada", negative="Clear")
        record = await self.until_listed("Ada")
        await broker.publish(topic, '{"last":"negative"}')
        await phone.expect("command", command="performNotificationAction")
        await broker.event("/event", "removed")
        self.assertNotEqual(record["id"], "")

    async def test_commands_are_not_obeyed_unless_the_configuration_allows_them(self) -> None:
        broker = Broker(self.lab)
        daemon, phone = await self.at(broker)
        topic = broker.find("/availability").replace("availability", "perform")
        phone.tell("ring", title="Ada")
        await broker.value("/call/ringing", "ON")
        await broker.publish(topic, '{"call":"negative"}')
        phone.tell("remove", tag="call")
        await broker.value("/call/ringing", "OFF")
        self.assertEqual(await daemon.terminate(), 0)
        performed = [r for r in phone.all("command") if r["command"] == "performNotificationAction"]
        self.assertEqual(performed, [])

    async def test_bad_commands_are_survived_and_said_once(self) -> None:
        broker = Broker(self.lab)
        daemon, phone = await self.at(broker, "commands = true")
        topic = broker.find("/availability").replace("availability", "perform")
        await broker.publish(topic, '{"call":"negative"}', retain=True)
        await broker.publish(topic, "")
        await broker.publish(topic, "x" * 1_048_576)
        await self.until_said(daemon, "more than 1024 octets")
        for payload in ("x", "[]", '{"call":"negative"}'):
            await broker.publish(topic, payload)
        await self.until_said(daemon, "no call is ringing")
        self.post(phone, title="Ada", message="Still here")
        await self.until_listed("Ada")
        for reason in ("no call is ringing", "it must be", "more than 1024 octets"):
            self.assertEqual(self.log(daemon).count(reason), 1, reason)
        self.assertIn("connected to localhost", await self.ancs("status"))

    async def test_a_rule_keeps_an_app_off_the_broker(self) -> None:
        broker = Broker(self.lab)
        rule = (
            '[[rule]]\nname = "kept"\nmatch = { app = "com.apple.mobilenotes" }\ndo = [{ mqtt = false }]\n'
        )
        _, phone = await self.at(broker, 'content = "full"', rule)
        self.post(phone, app="com.apple.mobilenotes", title=CANARY, message=CANARY)
        self.post(phone, app="com.apple.mobilemail", title="Open", message="Seen")
        await broker.event("/event", "added")
        await self.until_listed(CANARY)
        self.assertEqual([event["title"] for event in broker.events("/event")], ["Open"])

    async def test_what_home_assistant_is_told_is_what_its_documentation_says(self) -> None:
        broker = Broker(self.lab)
        await self.at(broker, "commands = true", "media = true")
        # The last one: a phone is introduced once its name is known.
        await broker.value("/album/config", lambda value: "Album" in value)
        schema = json.loads((HERE / "homeassistant.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        names = []
        for message in broker.messages:
            if not message["topic"].startswith("homeassistant/"):
                continue
            _, component, node, key, config = message["topic"].split("/")
            payload = json.loads(message["payload"])
            validator = jsonschema.Draft202012Validator(
                {"$ref": f"#/$defs/{component}", "$defs": schema["$defs"]}
            )
            self.assertEqual([error.message for error in validator.iter_errors(payload)], [], payload)
            self.assertEqual(payload["unique_id"], f"{node}_{key}")
            names.append(payload["name"])
        self.assertEqual(
            sorted(names),
            ["Active notifications", "Album", "Answer call", "Artist", "Call", "Clear last notification",
             "Connected", "Decline call", "In a call", "Missed calls", "Next track", "Notification", "Phones",
             "Play or pause", "Player", "Player app", "Previous track", "Ringing", "Running", "Title"],
        )

    async def test_of_a_forgotten_phone_nothing_is_left(self) -> None:
        broker = Broker(self.lab)
        await self.at(broker)
        digest = broker.find("/availability").split("/")[2]
        self.assertIn(digest, await broker.kept())
        await self.ancs("forget", digest)
        while digest in (kept := await broker.kept()):
            await asyncio.sleep(0.1)
        self.assertIn("/status", kept)

    async def test_home_assistant_hears_it_again_when_it_starts(self) -> None:
        broker = Broker(self.lab)
        await self.at(broker)
        await broker.value("/status", "online")

        def introductions() -> int:
            topics = [message["topic"] for message in broker.messages]
            return topics.count("homeassistant/binary_sensor/ancs_desk/running/config")

        before = introductions()
        await broker.publish("homeassistant/status", "online")
        await eventually(lambda: introductions() > before, "another introduction")


class Outages(AtBroker):
    """A broker that goes and comes, and a daemon that does."""

    async def test_a_broker_that_is_killed_is_found_again_and_gets_no_old_events(self) -> None:
        broker = Broker(self.lab)
        daemon, phone = await self.at(broker)
        await broker.kill()
        await self.until_said(daemon, "has closed the connection")
        self.post(phone, title="While away", message="-")
        await self.until_listed("While away")
        await broker.start()
        await broker.value("/availability", "online")
        await broker.value("/counts", lambda value: json.loads(value)["total"] == 1)
        self.post(phone, title="Afterwards", message="-", category="email")
        event = await broker.event("/event", "added")
        self.assertEqual(event["category"], "email")
        self.assertEqual(len(broker.events("/event")), 1)
        self.assertEqual(await daemon.terminate(), 0)
        await broker.value("/status", "offline")

    async def test_a_daemon_that_is_killed_is_offline_by_its_will(self) -> None:
        broker = Broker(self.lab)
        daemon, _ = await self.at(broker)
        await broker.value("/status", "online")
        await daemon.kill()
        await broker.value("/status", "offline")
        await self.lab.until_free(self.lab.accessory_moniker)
        again = await self.serve(broker.section)
        await broker.value("/status", "online")
        self.assertEqual(await again.terminate(), 0)

    async def test_another_broker_is_used_when_the_configuration_says_so(self) -> None:
        first, second = Broker(self.lab), Broker(self.lab, secure=False)
        daemon, _ = await self.at(first)
        await second.start()
        self.configuration.write_text(
            self.configuration.read_text().replace(first.section, second.section)
        )
        os.kill(daemon.process.pid, signal.SIGHUP)
        await second.value("/availability", "online")
        await first.value("/status", "offline")


class Refusals(AtBroker):
    """Brokers that do not let the daemon in."""

    async def refused(self, section: str, reason: str) -> Peer:
        """A daemon that says why it is not at the broker, once, and whose other parts work."""
        daemon = await self.serve(section)
        await self.until_said(daemon, reason)
        # Another attempt has failed meanwhile.
        await asyncio.sleep(1.5)
        self.assertEqual(self.log(daemon).count("nothing is published"), 1, self.log(daemon))
        self.assertIn(reason, await self.ancs("status"))
        return daemon

    async def test_a_wrong_password(self) -> None:
        broker = Broker(self.lab)
        await broker.start()
        broker.password_file.write_text("a guess")
        daemon = await self.refused(broker.section, "the password is wrong")
        self.assertNotIn("a guess", self.log(daemon))
        self.assertEqual(await daemon.terminate(), 0)

    async def test_an_authority_that_is_not_trusted(self) -> None:
        broker, other = Broker(self.lab), Broker(self.lab)
        await broker.start()
        section = broker.section.replace(str(broker.directory / "ca.pem"), str(other.directory / "ca.pem"))
        await self.refused(section, "certificate verify failed")

    async def test_a_certificate_for_another_host(self) -> None:
        broker = Broker(self.lab, name="elsewhere")
        broker.process = await self.lab.start(
            "broker", "mosquitto", "-c", str(broker.directory / "mosquitto.conf")
        )
        await self.refused(broker.section, "certificate")

    async def test_a_client_certificate(self) -> None:
        broker = Broker(self.lab)
        broker.write_configuration("require_certificate true")
        broker.process = await self.lab.start(
            "broker", "mosquitto", "-c", str(broker.directory / "mosquitto.conf")
        )
        own = (
            f'certificate-file = "{broker.directory}/client.pem"\n'
            f'key-file = "{broker.directory}/client.key"\n'
        )
        daemon = await self.serve(broker.section + own)
        await self.until_said(daemon, "connected to the broker")
        self.assertEqual(await daemon.terminate(), 0)
        await self.lab.until_free(self.lab.accessory_moniker)
        await self.refused(broker.section, "no secure connection")

    async def test_an_unknown_host(self) -> None:
        await self.refused('[mqtt]\nhost = "broker.invalid"\n', "cannot be found")

    async def test_nobody_listens(self) -> None:
        broker = Broker(self.lab, secure=False)
        await self.refused(broker.section, "Connection refused")

    async def test_a_password_that_others_may_read_is_a_fault(self) -> None:
        secret = self.lab.directory / "mqtt-password"
        secret.write_text("secret")
        secret.chmod(0o644)
        self.configuration.write_text('[mqtt]\nhost = "localhost"\npassword-file = "mqtt-password"\n')
        arguments = ("serve", "--config", str(self.configuration), "--check")
        peer = await self.lab.start("check", *self.command(*arguments))
        self.assertEqual(await peer.status(), 2)
        self.assertRegex(peer.errors[0], r":3:17: .*mqtt-password can be used by others .*chmod 600")

    async def test_a_password_among_the_credentials_of_systemd(self) -> None:
        broker = Broker(self.lab)
        await broker.start()
        credentials = self.lab.directory / "credentials"
        credentials.mkdir()
        (credentials / "broker").write_text("a password")
        section = broker.section.replace(str(broker.password_file), "broker")
        daemon = await self.serve(section, environment=(f"CREDENTIALS_DIRECTORY={credentials}",))
        await self.until_said(daemon, "connected to the broker")


class BadBrokers(AtBroker):
    """What is no broker, or a hostile one."""

    async def survives(self, daemon: Peer) -> None:
        """Everything else works, at once, and the daemon ends in time."""
        began = time.monotonic()
        phone = await self.lab.start_phone()
        await self.pair(phone)
        self.post(phone, title="Ada", message="Still here")
        await self.until_listed("Ada")
        self.assertLess(time.monotonic() - began, 60)
        memory = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
        (resident,) = [line.split()[1] for line in memory.splitlines() if line.startswith("VmRSS")]
        self.assertLess(int(resident), 200_000)
        began = time.monotonic()
        self.assertEqual(await daemon.terminate(), 0)
        self.assertLess(time.monotonic() - began, 10)

    async def test_one_that_accepts_and_says_nothing(self) -> None:
        async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async with BadBroker(stall) as broker:
            daemon = await self.serve(broker.section)
            await self.until_said(daemon, "does not answer within 10 s")
            await self.survives(daemon)

    async def test_one_that_stalls_once_it_has_greeted(self) -> None:
        async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1024)
            writer.write(broker.CONNACK)
            await asyncio.Event().wait()

        async with BadBroker(stall) as broker:
            daemon = await self.serve(broker.section)
            await self.until_said(daemon, "connected to the broker")
            await self.survives(daemon)

    async def test_one_that_talks_nonsense(self) -> None:
        async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(broker.CONNACK + b"\xf0\xff\xff\xff\xff\xff\x00HTTP/1.1 200")
            await reader.read(65536)
            await asyncio.sleep(0.1)

        async with BadBroker(lie) as broker:
            daemon = await self.serve(broker.section)
            await self.until_said(daemon, "nothing is published")
            await eventually(lambda: broker.connections > 1, "another attempt")
            self.assertEqual(self.log(daemon).count("nothing is published"), 1)
            await self.survives(daemon)

    async def test_one_that_closes_in_the_middle_of_tls(self) -> None:
        async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(16)

        async with BadBroker(leave) as broker:
            daemon = await self.serve(broker.section + "tls = true\n")
            await self.until_said(daemon, "nothing is published")
            before = self.ticks(daemon)
            await eventually(lambda: broker.connections > 2, "further attempts")
            self.assertLess(self.ticks(daemon) - before, 100)
            await self.survives(daemon)

    def ticks(self, daemon: Peer) -> int:
        """The processor time of the daemon, in hundredths of a second."""
        fields = pathlib.Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    async def test_one_that_floods(self) -> None:
        async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1024)
            writer.write(broker.CONNACK)
            small = publication("ancs/desk/x/perform", b"{}") * 100
            large = publication("ancs/desk/x/perform", b"x" * 1_048_576)
            while True:
                writer.write(small + large)
                await writer.drain()

        async with BadBroker(flood) as broker:
            daemon = await self.serve(broker.section)
            await self.until_said(daemon, "more than 1024 octets")
            await self.survives(daemon)
            self.assertEqual(self.log(daemon).count("more than 1024 octets"), 1)

    async def test_one_that_sends_a_message_without_an_end(self) -> None:
        async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1024)
            writer.write(broker.CONNACK + b"\x30\xff\xff\xff\x7f")
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()

        async with BadBroker(endless) as broker:
            daemon = await self.serve(broker.section)
            await self.until_said(daemon, "more than 16 MiB")
            await self.survives(daemon)
