"""`ancs phone` with accessories of Bumble, with `ancs receive`, and with some that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import sys
import termios

from harness import BINARY, DEADLINE, HERE, InteropTest, Peer

POINT = "2800"
"""The handle of the Control Point, as iPhones have it (least significant octet first)."""
SOURCE_SWITCH = "2600"
DATA_SWITCH = "2c00"


class PhoneTest(InteropTest):
    """A test of `ancs phone`."""

    async def post(self, phone: Peer, accessory: Peer, title: str) -> int:
        """Posts a notification, waits for the accessory to show it, and gives its number."""
        phone.write(f'post Messages "{title}" "About {title}"')
        posted = await phone.expect("notification", change="added", title=title)
        shown = await accessory.expect("added", title=title)
        self.assertEqual(shown["message"], f"About {title}")
        self.assertEqual(
            shown["app"], {"identifier": "com.apple.MobileSMS", "displayName": "Messages"}
        )
        return int(posted["notification"])


class BumbleAccessory(PhoneTest):
    """Bumble's own ANCS client, unchanged."""

    async def connect_bumble(self, *arguments: str) -> tuple[Peer, Peer]:
        """A phone and an accessory, paired, with a session."""
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone(*arguments)
        accessory = await self.lab.start_bumble()
        await phone.expect("paired")
        # `AncsClient` subscribes to the Notification Source first, and then to the Data Source; what
        # is announced in between it fetches too early, and waits for ever, as with an iPhone (S3).
        await phone.expect("subscription", characteristic="dataSource", on=True)
        return phone, accessory

    async def test_bumbles_client_receives_fetches_and_performs(self) -> None:
        phone, accessory = await self.connect_bumble()
        number = await self.post(phone, accessory, "Ada")
        accessory.write("perform 0 negative")
        action = await phone.expect("action", action="negative", uid=0)
        self.assertEqual((action["notification"], action["performed"]), (number, True))
        await accessory.expect("removed", uid=0)
        await self.finish()

    async def test_a_modified_notification_is_fetched_again(self) -> None:
        phone, accessory = await self.connect_bumble()
        number = await self.post(phone, accessory, "Loading")
        phone.write(f'modify {number} message="All of it"')
        modified = await accessory.expect("modified", uid=0)
        self.assertEqual(modified["message"], "All of it")
        phone.write(f"remove {number}")
        await accessory.expect("removed", uid=0, categoryCount=0)
        await self.finish()

    async def test_a_call_is_answered_at_the_accessory(self) -> None:
        phone, accessory = await self.connect_bumble()
        phone.write("call Ada mobile")
        call = await accessory.expect("added", category="incomingCall", title="Ada")
        self.assertEqual(call["actions"], {"positive": "Answer", "negative": "Decline"})
        accessory.write(f"perform {call['uid']} positive")
        await phone.expect("action", action="positive", performed=True)
        await accessory.expect("removed", uid=call["uid"])
        active = await accessory.expect("added", categoryID=12, title="Ada")
        self.assertNotEqual(active["uid"], call["uid"])
        phone.write("hangup")
        await accessory.expect("removed", uid=active["uid"])
        await self.finish()

    async def test_a_call_that_is_declined_is_a_missed_call_with_a_new_uid(self) -> None:
        phone, accessory = await self.connect_bumble()
        phone.write("call Ada")
        call = await accessory.expect("added", category="incomingCall")
        accessory.write(f"perform {call['uid']} negative")
        await accessory.expect("removed", uid=call["uid"])
        missed = await accessory.expect("added", category="missedCall", title="Ada")
        self.assertNotEqual(missed["uid"], call["uid"])
        await self.finish()

    async def test_commands_about_calls_apps_and_the_service(self) -> None:
        phone, _ = await self.connect_bumble()
        phone.write("install com.example.chat Chat")
        phone.write("post Chat Ada Hello silent")
        posted = await phone.expect("notification", change="added", title="Ada")
        phone.write("apps")
        listed = await phone.expect("apps")
        # `name` is what version 0.1 called it.
        app = {"identifier": "com.example.chat", "displayName": "Chat", "name": "Chat"}
        self.assertIn(app, listed["list"])
        phone.write("uninstall Chat")
        phone.write("apps")
        listed = await phone.expect("apps")
        self.assertNotIn("com.example.chat", [app["identifier"] for app in listed["list"]])
        for command in ("answer", "decline", "stop"):
            phone.write("call Grace mobile")
            call = await phone.expect("notification", change="added", category="incomingCall")
            phone.write(command)
            number = call["notification"]
            await phone.expect("notification", change="removed", notification=number)
            await phone.expect("notification", change="added", title="Grace")
        phone.write(f"remove 99 {posted['notification']} 98")
        await phone.expect("notification", change="removed", notification=posted["notification"])
        phone.write("unpublish no-serviceChanged")
        phone.write("publish")
        phone.write("unbind nothing")
        phone.write("notifications")
        self.assertEqual(len((await phone.expect("notifications"))["list"]), 3)
        self.assertEqual(
            phone.errors,
            [
                "ancs: no notification 99; no notification 98",
                "ancs: unknown app 'nothing'",
            ],
        )
        phone.write("exit")
        self.assertEqual(await phone.status(), 0)

    async def test_a_known_accessory_is_connected_and_encrypted_again(self) -> None:
        phone, accessory = await self.connect_bumble()
        await self.post(phone, accessory, "Before")
        phone.write("disconnect")
        await phone.expect("disconnected")
        await phone.expect("bondRestored")
        await phone.expect("subscription", characteristic="dataSource", on=True)
        self.assertEqual(len(phone.all("paired")), 1)
        # Earlier notifications are announced again, with UIDs that start from the beginning (S18, R53).
        await accessory.expect("added", title="Before", uid=0)
        await self.post(phone, accessory, "After")
        await self.finish()

    async def test_the_bond_outlives_the_phone(self) -> None:
        phone, accessory = await self.connect_bumble()
        await self.post(phone, accessory, "Before")
        self.assertEqual(await phone.terminate(), 0)
        phone = await self.lab.start_own_phone()
        await phone.expect("bondRestored")
        await phone.expect("subscription", characteristic="dataSource", on=True)
        await self.post(phone, accessory, "After")
        self.assertEqual(phone.all("paired"), [])
        await self.finish()

    async def forget_keys(self, *arguments: str) -> Peer:
        """The accessory comes back as itself, but without the keys."""
        phone, accessory = await self.connect_bumble(*arguments)
        await accessory.terminate()
        await phone.expect("disconnected")
        path = self.lab.directory / "Bumble" / "bonds.json"
        state = json.loads(path.read_text())
        path.write_text(json.dumps({**state, "bonds": {}}))
        await self.lab.start_bumble()
        failure = await phone.expect("securityFailed")
        self.assertIn("forgotten", failure["reason"])
        return phone

    async def test_lost_keys_are_told_and_the_bond_stays_until_it_is_forgotten(self) -> None:
        phone = await self.forget_keys()
        await phone.expect("disconnected")
        self.assertEqual(len(phone.all("paired")), 1)
        phone.write("forget 1")
        await phone.expect("paired")
        await phone.expect("session", state="started")
        await self.finish()

    async def test_lost_keys_are_replaced_if_asked_for(self) -> None:
        phone = await self.forget_keys("--pair-again")
        await phone.expect("paired")
        await phone.expect("session", state="started")
        self.assertEqual(len(phone.all("paired")), 2)
        await self.finish()

    async def test_three_accessories_at_once(self) -> None:
        any_port = "tcp-server:127.0.0.1:0"
        await self.lab.start_controllers(any_port, any_port, any_port, any_port)
        phone = await self.lab.start_own_phone()
        monikers = [self.lab.accessory_moniker, *self.lab.further_monikers]
        accessories = []
        for number, moniker in enumerate(monikers):
            accessories.append(await self.lab.start_bumble(name=f"A{number}", moniker=moniker))
            await phone.expect("subscription", characteristic="dataSource", on=True)
        phone.write('post Messages All "Everybody"')
        for accessory in accessories:
            await accessory.expect("added", title="All", message="Everybody", uid=0)
        # One of them leaves, and the others do not notice.
        await accessories[0].terminate()
        await phone.expect("disconnected")
        phone.write('post Messages Two "The others"')
        for accessory in accessories[1:]:
            await accessory.expect("added", title="Two", uid=1)
        await self.finish()

    async def test_only_the_accessories_that_are_named(self) -> None:
        any_port = "tcp-server:127.0.0.1:0"
        await self.lab.start_controllers(any_port, any_port, any_port)
        phone = await self.lab.start_own_phone("--accessory", "Mine")
        await self.lab.start_bumble(name="Other")
        mine = await self.lab.start_bumble(name="Mine", moniker=self.lab.further_monikers[0])
        await phone.expect("subscription", characteristic="dataSource", on=True)
        await self.post(phone, mine, "For me")
        self.assertEqual({record["name"] for record in phone.all("discovered")}, {"Mine"})
        await self.finish()


class OwnAccessory(PhoneTest):
    """`ancs receive` with `ancs phone`."""

    async def connect_own(
        self, *arguments: str, accessory: tuple[str, ...] = (), io: str = "none"
    ) -> tuple[Peer, Peer]:
        """A phone and an accessory, which are left to find each other."""
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone(*arguments)
        return phone, await self.lab.start_accessory(*accessory, io=io)

    async def test_it_receives_and_performs(self) -> None:
        phone, accessory = await self.connect_own()
        await accessory.expect("session", state="started")
        await self.post(phone, accessory, "Ada")
        phone.write("call Bob")
        call = await accessory.expect("added", category="incomingCall")
        accessory.write(f"perform {call['uid']} negative")
        await accessory.expect("action", result="performed")
        await accessory.expect("added", category="missedCall", title="Bob")
        self.assertEqual(await phone.terminate(), 0)
        await accessory.expect("session", state="ended")
        await self.finish()

    async def test_both_users_compare_numbers(self) -> None:
        phone, accessory = await self.connect_own(io="yesno")
        asked = await phone.expect("pairing", ask="confirm")
        shown = await accessory.expect("pairing", ask="confirm")
        self.assertEqual(asked["value"], shown["value"])
        phone.write("yes")
        accessory.write("yes")
        await phone.expect("paired")
        await phone.expect("session", state="started")
        self.assertTrue(phone.all("secured")[-1]["authenticated"])
        await self.post(phone, accessory, "Compared")
        await self.finish()

    async def test_consent_that_comes_late(self) -> None:
        phone, accessory = await self.connect_own("--no-consent")
        await phone.expect("subscription", characteristic="notificationSource", on=True)
        phone.write("post Messages Secret Hidden")
        await phone.expect("notification", change="added")
        self.assertEqual(phone.all("announced"), [])
        phone.write("consent on")
        await accessory.expect("added", title="Secret", message="Hidden")
        phone.write("consent off")
        phone.write("accessories")
        await phone.expect("accessories")
        accessory.write("perform 0 negative")
        await accessory.expect("action", result="failed")
        await accessory.expect("session", state="unauthorized", attError=3)
        await self.finish()

    async def test_a_service_that_goes_and_comes_back(self) -> None:
        phone, accessory = await self.connect_own()
        await accessory.expect("session", state="started")
        await self.post(phone, accessory, "Before")
        phone.write("unpublish")
        await phone.expect("session", state="ended")
        await accessory.expect("session", state="ended")
        phone.write("publish")
        await accessory.expect("session", state="started")
        await accessory.expect("added", title="Before")
        await self.post(phone, accessory, "After")
        await self.finish()

    async def test_verbs_of_scenarios_at_the_prompt(self) -> None:
        phone, accessory = await self.connect_own()
        phone.write("wait subscribed within=20")
        self.assertEqual((await phone.expect("step"))["result"], "passed")
        phone.write("inject late by=1")
        phone.write('post com.apple.news Ada "Lunch?" as=lunch')
        phone.write("expect command=getNotificationAttributes of=lunch answer=success")
        # It waits for the step before it.
        phone.write("modify lunch message=Dinner?")
        step = await phone.expect("step")
        self.assertEqual(step["result"], "passed", step)
        shown = await accessory.expect("added", title="Ada")
        self.assertEqual((shown["category"], shown["actions"]["negative"]), ("news", "Clear"))
        await accessory.expect("modified", title="Ada", message="Dinner?")
        phone.write("expect action=positive of=lunch within=0.2")
        failed = await phone.expect("step")
        self.assertEqual(failed["result"], "failed")
        phone.write("expect action=any of=lunhc")
        phone.write("expect command=any of=nothing")
        phone.write("remove all")
        await accessory.expect("removed")
        phone.write("wait disconnected")
        phone.write("pause 0.1")
        phone.write("disconnect 1")
        phone.write("wait connected accessory=nobody")
        phone.write("set truncation=octet")
        await accessory.terminate()
        self.assertEqual((await phone.expect("step"))["result"], "passed")
        self.assertEqual((await phone.expect("step"))["result"], "passed")
        await phone.until(lambda: len(phone.errors) == 4, "four complaints")
        # A name that no notification has is refused, and not waited for.
        self.assertIn("no notification lunhc; did you mean 'lunch'?", phone.errors[0])
        self.assertTrue(phone.errors[1].endswith("no notification nothing"), phone.errors[1])
        self.assertIn("unknown accessory 'nobody'", phone.errors[2])
        self.assertIn('did you mean "octets"?', phone.errors[3])
        self.assertEqual(len(phone.all("step")), 5, phone.report())
        phone.write("wait connected")
        phone.write("quit")
        self.assertEqual(await phone.status(), 0)

    async def test_what_was_heard_where_no_accessory_is_found(self) -> None:
        await self.lab.start_controllers()
        peripheral = await self.lab.start(
            "peripheral",
            *(sys.executable, str(HERE / "peripheral.py"), "--hci", self.lab.accessory_moniker),
            *("--address", "C0:DE:00:00:00:01", "--data", "020106" + "0709" + b"Bumble".hex()),
        )
        await peripheral.expect("ready")
        phone = await self.lab.start_own_phone()
        await phone.until(lambda: bool(phone.errors), "what was heard")
        self.assertTrue(phone.errors[0].endswith("heard Bumble, connectable, solicits nothing: name it"), phone.report())
        self.assertEqual(await phone.terminate(), 0)

    async def test_a_long_message_over_the_smallest_mtu(self) -> None:
        phone, accessory = await self.connect_own("--mtu", "23")
        await accessory.expect("session", state="started")
        text = "0123456789" * 90
        phone.write(f"post Messages Long {text}")
        await accessory.expect("added", title="Long", message=text)
        await self.finish()

    async def test_two_hundred_notifications_that_are_there_already(self) -> None:
        await self.lab.start_controllers()
        phone = await self.lab.start_own_phone()
        for number in range(200):
            phone.write(f"post Messages N{number} Text")
        await phone.expect("notification", title="N199")
        accessory = await self.lab.start_accessory("--count", "200")
        self.assertEqual(await accessory.status(), 0)
        added = accessory.all("added")
        titles = [record["title"] for record in added]
        self.assertEqual(sorted(titles), sorted(f"N{n}" for n in range(200)))
        # Among those from before, the newest come first.
        self.assertLess(titles.index("N199"), titles.index("N1"))
        self.assertTrue(all("preExisting" in record["flags"] for record in added))
        await self.finish()


class Stranger(PhoneTest):
    """An accessory that touches, writes and sends what it should not."""

    async def connect_probe(self, *arguments: str, phone: tuple[str, ...] = ()) -> tuple[Peer, Peer]:
        """A phone and a probe that has done nothing yet."""
        await self.lab.start_controllers()
        own = await self.lab.start_own_phone(*phone)
        probe = await self.lab.start_probe(*arguments)
        await probe.expect("connected")
        return own, probe

    async def send(self, probe: Peer, pdu: str, answer: str) -> None:
        """Sends an ATT PDU and waits for the answer to it."""
        probe.tell("send", pdu=pdu)
        record = await probe.expect("pdu")
        self.assertEqual(record["pdu"], answer)

    async def pair(self, phone: Peer, probe: Peer) -> None:
        """Pairs, by a Security Request."""
        probe.tell("secure")
        await phone.expect("paired")
        await probe.expect("paired")

    async def test_ancs_is_where_iphones_have_it(self) -> None:
        _, probe = await self.connect_probe()
        ancs = "d0002d121e4b0fa4994eceb531f40579"
        await self.send(probe, f"062300ffff0028{ancs}", "0723002c00")
        # Every handle from the service declaration to the last descriptor, with its type.
        await self.send(probe, "0423002c00", "05012300002824000328")
        await self.finish()

    async def test_an_unpaired_accessory_is_refused_and_then_paired_with(self) -> None:
        phone, probe = await self.connect_probe()
        await self.send(probe, f"12{SOURCE_SWITCH}0100", f"0112{SOURCE_SWITCH}05")
        denied = await phone.expect("accessDenied")
        self.assertEqual((denied["handle"], denied["attError"]), (0x26, 5))
        await phone.expect("paired")
        await self.send(probe, f"12{SOURCE_SWITCH}0100", "13")
        await phone.expect("session", state="started")
        await self.finish()

    async def test_a_phone_that_does_not_pair_refuses_everything_protected(self) -> None:
        phone, probe = await self.connect_probe(phone=("--pair", "never"))
        for handle in (SOURCE_SWITCH, DATA_SWITCH):
            await self.send(probe, f"12{handle}0100", f"0112{handle}05")
        await self.send(probe, f"12{POINT}000000000000", f"0112{POINT}05")
        await self.send(probe, f"16{POINT}000000", f"0116{POINT}05")
        self.assertEqual(phone.all("paired", "command"), [])
        await self.finish()

    async def test_a_command_in_parts_arrives_as_one(self) -> None:
        phone, probe = await self.connect_probe("--mtu", "23")
        await self.pair(phone, probe)
        await self.send(probe, f"12{DATA_SWITCH}0100", "13")
        name = b"com.apple.MobileSMS".hex()
        command = "01" + name + "0000"
        first, second = command[:36], command[36:]
        await self.send(probe, f"16{POINT}0000{first}", f"17{POINT}0000{first}")
        await self.send(probe, f"16{POINT}1200{second}", f"17{POINT}1200{second}")
        await self.send(probe, "1801", "19")
        received = await phone.expect("command")
        self.assertEqual(received["appIdentifier"], "com.apple.MobileSMS")
        answer = "01" + name + "00" + "000800" + b"Messages".hex()
        parts = [await probe.expect("pdu"), await probe.expect("pdu")]
        self.assertEqual("".join(part["pdu"][6:] for part in parts), answer)
        await self.finish()

    async def test_what_is_no_command_is_refused_by_its_code(self) -> None:
        phone, probe = await self.connect_probe()
        await self.pair(phone, probe)
        for switch in (DATA_SWITCH, SOURCE_SWITCH):
            await self.send(probe, f"12{switch}0100", "13")
        for command, code in (
            ("", "a1"),
            ("03", "a0"),
            ("ff00", "a0"),
            ("00", "a1"),
            ("00000000", "a1"),
            ("0000000000", "a2"),
            ("00ffffffff00", "a2"),
            ("000000000001", "a1"),
            ("01636f6d", "a1"),
            ("020000000000", "a2"),
            ("0200000000", "a1"),
            ("02000000000000", "a1"),
        ):
            with self.subTest(command=command):
                await self.send(probe, f"12{POINT}{command}", f"0112{POINT}{code}")
        self.assertEqual(phone.all("warning"), [])
        await self.finish()

    async def test_every_identifier_has_its_answer(self) -> None:
        phone, probe = await self.connect_probe()
        await self.pair(phone, probe)
        await self.send(probe, f"12{DATA_SWITCH}0100", "13")
        await self.send(probe, f"12{SOURCE_SWITCH}0100", "13")
        phone.write("post Messages Ada")
        await phone.expect("announced")
        await probe.expect("pdu", pdu="1b2500" + "0010040100000000")
        for number in range(3, 256):
            await self.send(probe, f"12{POINT}{number:02x}00000000", f"0112{POINT}a0")
            await self.send(probe, f"12{POINT}0200000000{number:02x}", f"0112{POINT}a2")
        # The last line may come after the last answer.
        await phone.expect("answered", actionID=255)
        self.assertEqual(len(phone.all("answered")), 506)
        await self.finish()

    async def test_writes_that_no_attribute_takes_are_refused_and_told(self) -> None:
        phone, probe = await self.connect_probe()
        await self.pair(phone, probe)
        for write, handle, code in (
            (f"12{SOURCE_SWITCH}01", 0x26, 0x0D),
            (f"12{SOURCE_SWITCH}010000", 0x26, 0x0D),
            (f"12{SOURCE_SWITCH}0200", 0x26, 0x13),
            (f"12{SOURCE_SWITCH}0300", 0x26, 0x13),
            ("12250000", 0x25, 0x03),
            ("122b0000", 0x2B, 0x03),
            ("12ff0000", 0xFF, 0x01),
            (f"12{POINT}{'01' * 513}", 0x28, 0x0D),
        ):
            with self.subTest(write=write[:20]):
                await self.send(probe, write, f"0112{write[2:6]}{code:02x}")
                await phone.expect("accessDenied", handle=handle, attError=code)
        # 1000 octets in two parts; a part beyond the end; parts without end.
        for parts, code in (((0, 500), 0x0D), ((0, 501), 0x07), ((0,) * 65, 0x09)):
            with self.subTest(code=code):
                for number, offset in enumerate(parts):
                    size = 500 if number == 0 or code == 0x0D else 1
                    part = offset.to_bytes(2, "little").hex() + "01" * size
                    if number < 64:
                        await self.send(probe, f"16{POINT}{part}", f"17{POINT}{part}")
                    else:
                        await self.send(probe, f"16{POINT}{part}", f"0116{POINT}{code:02x}")
                if code != 0x09:
                    await self.send(probe, "1801", f"0118{POINT}{code:02x}")
                await phone.expect("accessDenied", handle=0x28, attError=code)
                await self.send(probe, "1800", "19")
        await self.finish()

    async def test_one_that_misbehaves_does_not_disturb_another(self) -> None:
        any_port = "tcp-server:127.0.0.1:0"
        await self.lab.start_controllers(any_port, any_port, any_port)
        phone = await self.lab.start_own_phone()
        probe = await self.lab.start_probe()
        await probe.expect("connected")
        await self.pair(phone, probe)
        good = await self.lab.start_bumble(moniker=self.lab.further_monikers[0])
        await phone.expect("subscription", accessory=2, characteristic="dataSource", on=True)
        for number in range(100):
            probe.tell("send", pdu=f"12{POINT}{number:02x}" + "ff" * 200)
            probe.tell("send", pdu=f"{number:02x}" * 40)
        await self.post(phone, good, "Undisturbed")
        await self.finish()

    async def test_advertisers_that_want_nothing_are_left_alone(self) -> None:
        any_port = "tcp-server:127.0.0.1:0"
        await self.lab.start_controllers(any_port, any_port, any_port)
        phone = await self.lab.start_own_phone()
        silent = await self.lab.start_probe("--silent")
        await silent.expect("advertising")
        good = await self.lab.start_bumble(moniker=self.lab.further_monikers[0])
        await phone.expect("subscription", characteristic="dataSource", on=True)
        await self.post(phone, good, "Wanted")
        self.assertEqual(silent.all("connected"), [])
        self.assertEqual(len(phone.all("discovered")), 1)
        await self.finish()


class Terminal(PhoneTest):
    """The prompt at a terminal."""

    async def test_control_c_gives_up_a_line_and_without_one_ends(self) -> None:
        await self.lab.start_controllers()
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        process = await asyncio.create_subprocess_exec(
            *(*BINARY, "phone", "--hci", self.lab.phone_moniker),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
        )
        os.close(theirs)
        shown = bytearray()

        async def until(text: str) -> None:
            loop = asyncio.get_running_loop()
            while text.encode() not in shown:
                reading = loop.run_in_executor(None, os.read, ours, 4096)
                shown.extend(await asyncio.wait_for(reading, DEADLINE))
            shown.clear()

        try:
            await until("looks for accessories")
            os.write(ours, "post 漢".encode())
            await until("post 漢")
            os.write(ours, b"\x03")
            await until("post 漢^C")
            os.write(ours, b"pst\n")
            await until("did you mean 'post'?")
            os.write(ours, b"\x03")
            self.assertEqual(await asyncio.wait_for(process.wait(), DEADLINE), 0)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
