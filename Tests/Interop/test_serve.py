"""`ancs serve` on a bus of its own, with the commands that speak to it, at a phone."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import re
import signal
import socket
import stat

from harness import BINARY, InteropTest, Peer, eventually

CANARY = "canary-4711-\u00fc"


class Daemon(InteropTest):
    """A daemon on a session bus of the test's own."""

    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        directory = self.lab.directory
        self.state = directory / "state"
        self.configuration = directory / "config.toml"
        self.address = f"unix:path={directory}/bus"
        await self.lab.start_controllers()
        bus = await self.lab.start(
            "bus", "dbus-daemon", "--session", "--nofork", "--print-address",
            f"--address={self.address}",
        )
        await bus.until(lambda: bus.garbage, "an address of the bus")

    def command(self, *words: str) -> list[str]:
        """A command line on the bus of the test."""
        return ["env", f"DBUS_SESSION_BUS_ADDRESS={self.address}", *BINARY, *words]

    async def serve(
        self,
        text: str = "",
        adapter: str = "",
        environment: tuple[str, ...] = (),
        require: str = "none",
    ) -> Peer:
        """Starts the daemon, and waits until it is on the bus. By default it lets any phone pair."""
        adapter = adapter or self.lab.accessory_moniker
        self.configuration.write_text(
            f'[bluetooth]\nname = "Desk"\nadapter = "{adapter}"\nrequire = "{require}"\n{text}'
        )
        daemon = await self.lab.start(
            "daemon", "env", *environment,
            *self.command("serve", "--config", str(self.configuration)),
            "--state", str(self.state),
        )
        await daemon.until(
            lambda: any("on the bus" in line for line in daemon.errors), "its name on the bus"
        )
        return daemon

    async def ancs(self, *words: str, status: int = 0) -> str:
        """Runs a command to its end; gives its standard output."""
        peer = await self.lab.start(words[0], *self.command(*words))
        self.assertEqual(await peer.status(), status, peer.report())
        lines = [json.dumps(record, ensure_ascii=False) for record in peer.records]
        return "\n".join(lines + peer.garbage)

    async def failure(self, *words: str) -> str:
        """Runs a command that fails; gives its standard error."""
        peer = await self.lab.start(words[0], *self.command(*words))
        self.assertEqual(await peer.status(), 1, peer.report())
        return "\n".join(peer.errors)

    async def pair(self, phone: Peer) -> None:
        """Lets the phone pair, which asks nobody."""
        pairing = await self.lab.start("pair", *self.command("pair"))
        await phone.expect("paired")
        self.assertEqual(await pairing.status(), 0, pairing.report())

    async def paired(self, text: str = "", *arguments: str) -> tuple[Peer, Peer]:
        """A daemon and a phone that has a session with it."""
        daemon = await self.serve(text)
        phone = await self.lab.start_phone(*arguments)
        await self.pair(phone)
        return daemon, phone

    async def records(self) -> list[dict[str, object]]:
        """What `ancs list --json` prints."""
        return [json.loads(line) for line in (await self.ancs("list", "--json")).splitlines()]

    async def until_listed(self, title: str) -> dict[str, object]:
        """Waits until a notification with this title is there."""
        # `ancs watch` would miss what arrives between the list and its subscription.
        while True:
            for record in await self.records():
                if record.get("title") == title:
                    return record


class Serving(Daemon):
    """What the daemon does for its user."""

    async def test_a_notification_is_listed_and_cleared(self) -> None:
        daemon, phone = await self.paired()
        phone.tell("post", title="Ada", message="Lunch? Your code is 482913", negative="Clear")
        record = await self.until_listed("Ada")
        self.assertEqual(record["code"], "482913")
        self.assertIn("Ada", await self.ancs("list"))
        self.assertIn("receiving its notifications", await self.ancs("status"))
        watching = await self.lab.start("watch", *self.command("watch", "--json"))
        # Nothing shows that the command has subscribed, except what it prints of a later notification.
        for _ in range(600):
            if watching.records:
                break
            phone.tell("post", title="Bob", message="Dinner?")
            await asyncio.sleep(0.5)
        # A word that means nothing here, and the label of the phone.
        await self.ancs("perform", str(record["id"]), "decline", status=2)
        await self.ancs("perform", str(record["id"]), "clear")
        # The removal names what was removed, although it was there before the command.
        removed = await watching.expect("removed", id=record["id"])
        known = {key: record[key] for key in removed}
        self.assertEqual(removed, known | {"event": "removed", "time": removed["time"]})
        self.assertGreater(removed["time"], record["time"])
        self.assertEqual(removed["title"], "Ada")
        self.assertLessEqual({"uid", "flags", "time", "phone", "session", "app"}, removed.keys())
        self.assertNotIn("message", removed)
        await phone.expect("command", command="performNotificationAction")
        await self.ancs("perform", "zzz", "negative", status=1)
        await self.ancs("perform", str(record["id"]), "clear", status=1)
        self.assertEqual(await daemon.terminate(), 0)

    async def test_every_command_prints_what_its_schema_says(self) -> None:
        """The harness holds every line against the schema of its command."""
        daemon, phone = await self.paired('[history]\nkeep = "7d"\n')
        phone.tell("post", title="Ada", message="Lunch?", negative="Clear")
        record = await self.until_listed("Ada")
        history = ("history", "--state", str(self.state), "--json")
        rules = ("rules", "test", json.dumps(record), "--config", str(self.configuration), "--json")
        # The history is written a while after the notification is listed.
        while not await self.ancs(*history):
            pass
        for words in (
            ("status", "--json"), ("apps", "--json"), ("list", "--json"), rules,
            (*history, "--forget", "--all"),
        ):
            self.assertTrue(json.loads((await self.ancs(*words)).splitlines()[0]), words)
        place = ("--config", str(self.configuration), "--state", str(self.state))
        doctor = await self.lab.start("doctor", *self.command("doctor", *place, "--json"))
        await doctor.status()
        self.assertIn("findings", doctor.records[0])
        self.assertEqual(await daemon.terminate(), 0)

    async def test_a_forgotten_phone_leaves_nothing_and_can_pair_again(self) -> None:
        daemon, phone = await self.paired('[history]\nkeep = "7d"\n')
        phone.tell("post", title="Ada", message=CANARY)
        await self.until_listed("Ada")
        (known,) = json.loads(await self.ancs("status", "--json"))["phones"]
        self.assertEqual(len(json.loads((self.state / "bonds.json").read_text())["bonds"]), 1)
        self.assertIn("unknown phone", await self.failure("forget", "nobody"))
        self.assertIn("Forget This Device", await self.ancs("forget", str(known["phone"])[:8]))
        await phone.expect("disconnected")
        await eventually(
            lambda: not json.loads((self.state / "bonds.json").read_text())["bonds"],
            "store without the bond",
        )
        # It comes back at once, as a stranger who has to forget this machine first.
        for stranger in json.loads(await self.ancs("status", "--json"))["phones"]:
            self.assertNotIn(stranger["state"], ("subscribed", "silent"))
        self.assertEqual(await self.records(), [])
        for path in self.state.iterdir():
            self.assertNotIn(CANARY.encode(), path.read_bytes(), path)
        self.assertEqual(await daemon.terminate(), 0)

    async def test_a_bonded_phone_is_known_before_it_comes(self) -> None:
        daemon, phone = await self.paired()
        await phone.terminate()
        self.assertEqual(await daemon.terminate(), 0)
        await self.serve()
        # The daemon may be on the bus before it has read its bonds.
        while not (phones := json.loads(await self.ancs("status", "--json"))["phones"]):
            pass
        (known,) = phones
        self.assertEqual(known["state"], "away")

    async def pair_with_digits(self, phone: Peer, *words: str) -> Peer:
        """The user types these words and `yes`; gives the command, which has ended well."""
        pairing = await self.lab.start("pair", *self.command("pair"))
        shown = await phone.expect("pairing", ask="confirm")
        digits = f"{shown['value']:06}"
        await pairing.until(
            lambda: any(f"does the phone show {digits}?" in line for line in pairing.garbage),
            "a question",
        )
        for word in (*words, "yes"):
            pairing.write(word)
        phone.tell("confirm", yes=True)
        self.assertEqual(await pairing.status(), 0, pairing.report())
        return pairing

    async def test_a_device_without_digits_does_not_replace_the_keys_of_the_phone(self) -> None:
        daemon = await self.serve(require="authentication")
        phone = await self.lab.start_phone("--io", "yesno")
        await self.pair_with_digits(phone)
        await self.subscribe(phone)
        (before,) = json.loads((self.state / "bonds.json").read_text())["bonds"]
        kept = self.lab.directory / "phone.json"
        keys = kept.read_bytes()
        phone.tell("forget")
        await phone.expect("forgotten")
        self.assertEqual(await phone.terminate(), 0)
        # With the identity of the phone, and without its keys.
        impostor = await self.lab.start_phone("--io", "none", "--pair", "connect")
        pairing = await self.lab.start("pair", *self.command("pair"))
        failure = await impostor.expect("pairingFailed", reason=0x03)
        self.assertEqual(failure["reason"], 0x03)  # Authentication Requirements
        await pairing.until(
            lambda: any("cannot show digits wanted to pair" in line for line in pairing.garbage),
            "the reason",
        )
        (line,) = [line for line in pairing.garbage if "cannot show digits" in line]
        self.assertIn('require = "none"', line)
        pairing.process.send_signal(signal.SIGINT)
        self.assertEqual(await pairing.status(), 1, pairing.report())
        self.assertEqual(impostor.all("paired"), [])
        self.assertEqual(await impostor.terminate(), 0)
        (after,) = json.loads((self.state / "bonds.json").read_text())["bonds"]
        for member in ("peer", "localLTK"):
            self.assertEqual(after[member], before[member])
        # The phone itself comes back with the keys that it has.
        kept.write_bytes(keys)
        phone = await self.lab.start_phone("--io", "yesno")
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        self.assertEqual(await daemon.terminate(), 0)

    async def test_a_bond_that_is_replaced_is_said_with_the_name_of_the_phone(self) -> None:
        daemon = await self.serve(require="authentication")
        phone = await self.lab.start_phone("--io", "yesno")
        await self.pair_with_digits(phone)
        await self.subscribe(phone)
        await eventually(
            lambda: "Testphone" in (self.state / "bonds.json").read_text(), "name of the phone"
        )
        phone.tell("forget")
        phone.tell("disconnect")
        await phone.expect("disconnected")
        pairing = await self.pair_with_digits(phone)
        self.assertIn("the keys of 'Testphone'", "\n".join(pairing.garbage))
        self.assertIn("the keys of 'Testphone'", "\n".join(daemon.errors))
        self.assertEqual(await daemon.terminate(), 0)

    async def test_pairing_asks_through_the_command(self) -> None:
        daemon = await self.serve(require="authentication")
        phone = await self.lab.start_phone("--io", "yesno")
        await self.pair_with_digits(phone, "perhaps")
        self.assertEqual(await daemon.terminate(), 0)

    async def test_pairing_ends_with_its_command(self) -> None:
        await self.serve()
        phone = await self.lab.start_phone("--pair", "connect")
        pairing = await self.lab.start("pair", *self.command("pair"))
        await pairing.until(lambda: pairing.garbage, "that pairing is open")
        await phone.expect("paired")
        self.assertEqual(await pairing.status(), 0, pairing.report())

        async def is_open() -> bool:
            return json.loads(await self.ancs("status", "--json"))["pairingWindow"]

        again = await self.lab.start("pair", *self.command("pair"))
        await again.until(lambda: again.garbage, "that pairing is open")
        self.assertTrue(await is_open())
        again.process.send_signal(signal.SIGINT)
        self.assertEqual(await again.status(), 1, again.report())
        self.assertIn("interrupted", "\n".join(again.errors))
        self.assertFalse(await is_open())
        late = await self.failure("pair", "--seconds", "5")
        self.assertIn("no other phone has paired; already receiving from Testphone", late)

    async def test_a_stranger_is_refused_and_leaves_no_trace(self) -> None:
        await self.serve()
        phone = await self.lab.start_phone("--pair", "connect")
        await phone.expect("pairingFailed")
        # Any device in range can ask to pair, and none of them is one of the owner's phones.
        text = await self.ancs("status")
        self.assertIn("no phone yet: 'ancs pair' pairs one", text)
        self.assertEqual(json.loads(await self.ancs("status", "--json"))["phones"], [])

    async def test_the_text_of_a_muted_app_stays_on_the_phone(self) -> None:
        rule = '[[rule]]\nname = "quiet"\nmatch = { app = ["com.example.chat"] }\ndo = ["mute"]\n'
        _, phone = await self.paired(rule)
        phone.tell("post", app="com.example.chat", title=CANARY, message=CANARY)
        phone.tell("post", app="com.example.mail", title="Open", message="Seen")
        await self.until_listed("Open")
        requests = [
            record for record in phone.all("command")
            if record.get("command") == "getNotificationAttributes"
            # Not the question whether access is allowed, which names a notification that is not there.
            and record["uid"] != 0xFFFFFFFF
        ]
        self.assertEqual([len(request["attributes"]) for request in requests], [1, 1, 8])
        await self.ancs("mute", "Nothing of that name", status=2)
        self.assertIn("com.example.mail", await self.ancs("mute", "COM.example.mail"))
        self.assertIn("com.example.mail always", await self.ancs("mute"))
        await self.ancs("mute", "com.example.mail", "30d")
        self.assertRegex(await self.ancs("mute"), r"com\.example\.mail until \d{4}-\d\d-\d\d \d\d:\d\d")
        self.assertNotIn(CANARY, await self.ancs("list", "--json"))
        self.assertIn("quiet", await self.ancs("list", "--json"))

    async def test_a_configuration_with_a_fault_is_refused(self) -> None:
        self.configuration.write_text('[bluetooth]\nnmae = "Desk"\n')
        arguments = ("serve", "--config", str(self.configuration), "--check")
        peer = await self.lab.start("check", *self.command(*arguments))
        self.assertEqual(await peer.status(), 2)
        self.assertRegex(peer.errors[0], re.escape(str(self.configuration)) + r":2:1: .*name")

    async def test_a_program_that_does_not_exist_is_found_and_the_daemon_runs(self) -> None:
        daemon, phone = await self.paired(
            '[[rule]]\nname = "calls"\ndo = [{ run = ["/no/lights"] }]\n'
        )
        fault = re.escape(str(self.configuration)) + (
            r':\d+:16: the rule "calls" cannot run "/no/lights": No such file or directory$'
        )
        self.assertTrue(any(re.search(fault, line) for line in daemon.errors), daemon.errors)
        arguments = ("serve", "--config", str(self.configuration), "--check")
        peer = await self.lab.start("check", *self.command(*arguments))
        self.assertEqual(await peer.status(), 1)
        self.assertRegex(peer.errors[0], fault)
        phone.tell("post", title="Ada", message="Lunch?")
        await daemon.until(
            lambda: any("of the rule 'calls' did not start" in line for line in daemon.errors),
            "a program that does not start",
        )
        self.assertIn(
            "1 failing: /no/lights of the rule 'calls' did not start", await self.ancs("status")
        )

    async def test_a_fault_in_a_new_configuration_leaves_the_old_one(self) -> None:
        daemon, phone = await self.paired()
        self.configuration.write_text("[bluetooth\n")
        os.kill(daemon.process.pid, signal.SIGHUP)
        await daemon.until(
            lambda: any("stays in use" in line for line in daemon.errors), "a refusal"
        )
        phone.tell("post", title="Ada", message="Still here")
        await self.until_listed("Ada")
        self.assertEqual(await daemon.terminate(), 0)


    async def test_an_adapter_that_is_not_there_yet_is_waited_for(self) -> None:
        place = f"{self.lab.directory}/later"
        daemon = await self.serve(adapter=f"unix:{place}")
        await daemon.until(
            lambda: any(line.startswith("ancs: waiting: ") for line in daemon.errors), "its wait"
        )
        self.assertIn("waiting", str(daemon.errors))
        await self.lab.start_controllers(f"unix-server:{place}")
        phone = await self.lab.start_phone()
        status = ""
        while "phones can find" not in status:
            status = await self.ancs("status")
        await self.pair(phone)
        self.assertEqual(await daemon.terminate(), 0)

    async def test_a_phone_that_was_paired_by_receive_is_known(self) -> None:
        phone = await self.lab.start_phone()
        before = await self.lab.start(
            "receive", *self.command("receive", "--hci", self.lab.accessory_moniker, "--json"),
            "--state", str(self.state),
        )
        await phone.expect("subscribed", characteristic="notificationSource")
        self.assertEqual(await before.terminate(), 0)
        await self.serve()
        await phone.expect("subscribed", characteristic="notificationSource")
        phone.tell("post", title="Ada", message="Again")
        await self.until_listed("Ada")
        self.assertEqual(len(phone.all("paired")), 1)

    async def test_systemd_is_told_how_it_is(self) -> None:
        place = f"{self.lab.directory}/notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(place)
            manager.setblocking(False)
            lines: list[str] = []

            async def until_told(text: str) -> None:
                while text not in lines:
                    octets = await asyncio.get_running_loop().sock_recv(manager, 4096)
                    lines.extend(octets.decode().split("\n"))

            daemon = await self.serve(
                environment=(f"NOTIFY_SOCKET={place}", "WATCHDOG_USEC=200000")
            )
            await until_told("READY=1")
            await until_told("STATUS=phones can find 'Desk'")
            for _ in range(3):
                lines.clear()
                await until_told("WATCHDOG=1")
            os.kill(daemon.process.pid, signal.SIGHUP)
            await until_told("RELOADING=1")
            await until_told("READY=1")
            daemon.process.send_signal(signal.SIGTERM)
            await until_told("STOPPING=1")
            self.assertEqual(await daemon.status(), 0)


class Privacy(Daemon):
    """Where the content of notifications must not be."""

    async def test_content_is_in_no_log_argument_environment_or_broadcast(self) -> None:
        record = self.lab.directory / "record"
        # For the added event only: the daemon's end removes the notification, runs the program
        # again, and kills it half way.
        rule = (
            '[[rule]]\nname = "keep"\nmatch = { category = ["social"] }\n'
            'do = ["show", { run = ["/bin/sh", "-c", '
            "\"test $ANCS_EVENT = added || exit; "
            f"cat > {record}; tr '\\\\0' '\\\\n' < /proc/$$/environ > {record}.env; "
            f'cat /proc/$$/cmdline > {record}.args; mv {record} {record}.done"] }}]\n'
        )
        monitor = await self.lab.start("monitor", "dbus-monitor", "--address", self.address,
                                       "type='signal'")
        daemon, phone = await self.paired(rule)
        phone.tell("post", title=CANARY, message=CANARY, category="social")
        await self.until_listed(CANARY)
        done = pathlib.Path(f"{record}.done")
        await eventually(done.exists, "a program's end")
        self.assertIn(CANARY, done.read_text())
        process = pathlib.Path(f"/proc/{daemon.process.pid}")
        self.assertEqual(await daemon.terminate(), 0)
        self.assertFalse(process.exists())
        places = {
            "the log": "\n".join(daemon.errors),
            "signals": "\n".join(monitor.garbage),
            "an environment": pathlib.Path(f"{record}.env").read_text(),
            "arguments": pathlib.Path(f"{record}.args").read_text(),
        }
        self.assertIn("org.swift_ancs.Manager1", places["signals"])
        self.assertIn("ANCS_ID=", places["an environment"])
        for place, text in places.items():
            self.assertNotIn("canary-4711", text, place)
        for path in [self.state, *self.state.rglob("*")]:
            mode = stat.S_IMODE(path.stat().st_mode)
            self.assertEqual(mode, 0o700 if path.is_dir() else 0o600, path)
            if path.is_file():
                self.assertNotIn(b"canary-4711", path.read_bytes(), path)

    async def test_the_memory_of_the_daemon_is_for_nobody_else(self) -> None:
        daemon = await self.serve()
        # A process that may not be dumped belongs to root, as far as /proc goes.
        limits = pathlib.Path(f"/proc/{daemon.process.pid}/mem")
        self.assertEqual(limits.stat().st_uid, 0)
        self.assertEqual(await daemon.terminate(), 0)
