"""`ancs advertise` on air and at work, with a central made of Bumble."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import jsonschema

from air import Air
from harness import BINARY, HERE, InteropTest, Peer, Record

ANYWHERE = "tcp-server:127.0.0.1:0"
ANCS = "7905F431-B5CE-4E99-A40F-4B1E122D00D0"
PROFILE = "0A1B0000-5C2D-4E3F-8A9B-1C2D3E4F5A6B"
MAIL = "0A1B0002-5C2D-4E3F-8A9B-1C2D3E4F5A6B"
NAME = "0A1B0001-5C2D-4E3F-8A9B-1C2D3E4F5A6B"
BATTERY_LEVEL = "2A19"
SECRET = b"ada@example.com"
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
WRITE_NOT_PERMITTED = 0x03


def uuids(count: int, *sizes: int) -> list[str]:
    """Different UUIDs, of these sizes in turn."""
    found = []
    for index in range(count):
        size = sizes[index % len(sizes)]
        tail = f"{index:04X}"
        found.append(
            {2: f"18{tail[2:]}", 4: f"ABCD{tail}", 16: f"C0DE{tail}-B5CE-4E99-A40F-4B1E122D0000"}[
                size
            ]
        )
    return found


class AdvertiseTest(InteropTest):
    """A lab with a central and somebody who advertises."""

    async def start_central(self, *arguments: str, moniker: str = "") -> Peer:
        """Starts a central, with its bonds in the lab's directory."""
        central = await self.lab.start(
            "central",
            sys.executable,
            str(HERE / "central.py"),
            *("--hci", moniker or self.lab.phone_moniker),
            *("--bonds", str(self.lab.directory / "central.json")),
            *arguments,
        )
        await central.expect("ready")
        return central

    async def start_advertiser(self, *arguments: str, moniker: str = "") -> Peer:
        """Starts `ancs advertise`, and waits until it is on air."""
        advertiser = await self.launch(*arguments, moniker=moniker)
        await advertiser.expect("advertising", on=True)
        return advertiser

    async def launch(self, *arguments: str, moniker: str = "") -> Peer:
        """Starts `ancs advertise`."""
        state = "beacon" if moniker else "advertiser"
        return await self.lab.start(
            "advertiser",
            *BINARY,
            "advertise",
            *("--hci", moniker or self.lab.accessory_moniker),
            *("--state", str(self.lab.directory / state)),
            "--json",
            *arguments,
        )

    async def do(self, central: Peer, verb: str, **fields: Any) -> Record:
        """Has the central do something, and waits until it is done."""
        central.tell(verb, **fields)
        return await central.expect("done", do=verb)

    async def refused(self, central: Peer, verb: str, **fields: Any) -> int:
        """Has the central try something that is refused; gives the ATT error."""
        central.tell(verb, **fields)
        code: int = (await central.expect("attError", do=verb))["code"]
        return code

    async def hear(self, central: Peer, plan: Record) -> Air:
        """Waits until the central has heard both PDUs of a plan, as they were announced."""
        wanted = plan["advertisement"]["octets"]
        data = await central.expect("advertisement", scanResponse=False, octets=wanted)
        wanted = plan["scanResponse"]["octets"]
        response = None
        if wanted:
            response = await central.expect(
                "advertisement", scanResponse=True, octets=wanted, address=data["address"]
            )
        return Air(data, response)

    async def connect_to(self, central: Peer, advertiser: Peer) -> str:
        """Finds the advertiser and connects; gives its address."""
        await self.do(central, "scan", on=True)
        heard = await central.expect("advertisement", scanResponse=False)
        await self.do(central, "scan", on=False)
        await self.do(central, "connect", address=heard["address"])
        await advertiser.expect("connected")
        address: str = heard["address"]
        return address

    async def finish(self) -> None:
        """Fails if somebody misbehaved."""
        await super().finish()
        for peer in self.lab.peers:
            if peer.name == "advertiser":
                self.assertEqual(peer.garbage, [], "only JSON Lines belong on standard output")


class OnAir(AdvertiseTest):
    """What Bumble's scanner hears, and its parser understands."""

    NAMES = ("", "A", "Thermome", "Thermomete", "Thermometer", "€€€€", "😀😀😀", "é" * 20, "n" * 40)

    async def check(
        self,
        central: Peer,
        name: str,
        services: list[str],
        solicited: list[str] | None = None,
        background: bool = False,
    ) -> None:
        """Advertises, listens, and compares with the rules."""
        arguments = ["--name", name]
        for uuid in services:
            arguments += ["--service", uuid]
        for uuid in solicited or []:
            arguments += ["--solicit", uuid]
        advertiser = await self.start_advertiser(
            *arguments, *(["--background"] if background else [])
        )
        [plan] = advertiser.all("plan")
        [started] = advertiser.all("advertising")
        for key in ("advertisement", "scanResponse", "items", "background"):
            self.assertEqual(plan[key], started[key])
        await self.do(central, "scan", on=True)
        air = await self.hear(central, plan)
        await self.do(central, "scan", on=False)
        faults = air.faults(name, services, solicited or [], background)
        self.assertEqual(faults, [], f"{name!r} {services} {solicited} {background}")
        self.assertEqual(await advertiser.terminate(), 0)
        central.forget()

    async def test_what_is_on_air_for_names_and_services_keeps_the_rules(self) -> None:
        await self.lab.start_controllers()
        central = await self.start_central()
        sets = [uuids(count, size) for size in (2, 4, 16) for count in (0, 1, 3, 8)]
        sets += [uuids(3, 16, 2, 4), uuids(8, 2, 4, 16), uuids(4, 2, 16)]
        for index, services in enumerate(sets):
            name = self.NAMES[index % len(self.NAMES)]
            await self.check(central, name, services)
        for name in self.NAMES:
            await self.check(central, name, uuids(1, 16))
        await self.finish()

    async def test_what_is_on_air_in_the_background_and_beside_a_solicitation(self) -> None:
        await self.lab.start_controllers()
        central = await self.start_central()
        for services in (uuids(1, 2), uuids(8, 16), uuids(3, 2, 4, 16)):
            await self.check(central, "Thermometer", services, background=True)
            await self.check(central, "Thermometer", services, [ANCS], background=True)
            await self.check(central, "Thermometer", services, [ANCS])
        await self.finish()

    async def test_going_to_the_background_and_back_changes_what_is_on_air_at_once(self) -> None:
        await self.lab.start_controllers()
        central = await self.start_central()
        advertiser = await self.start_advertiser("--name", "Thermo", "--service", "1809")
        await self.do(central, "scan", on=True)
        await self.hear(central, advertiser.all("plan")[0])
        advertiser.write("background on")
        hidden = await advertiser.expect("advertising", on=True, background=True)
        air = await self.hear(central, hidden)
        self.assertEqual(air.faults("Thermo", ["1809"], [], True), [])
        await self.do(central, "scan", on=False)
        central.forget()
        advertiser.write("background off")
        shown = await advertiser.expect("advertising", on=True, background=False)
        await self.do(central, "scan", on=True)
        air = await self.hear(central, shown)
        self.assertEqual(air.faults("Thermo", ["1809"], [], False), [])
        await self.finish()


class Overflow(AdvertiseTest):
    """Our own scanner finds what is in the overflow area, if it asks for that."""

    async def start_scan(self, *services: str) -> Peer:
        """Starts `ancs scan` for these services."""
        arguments = [word for uuid in services for word in ("--service", uuid)]
        return await self.lab.start(
            "scan", *BINARY, "scan", "--hci", self.lab.phone_moniker, "--json", *arguments
        )

    async def test_only_who_asks_for_a_service_in_the_overflow_finds_it(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        hidden = ("--service", "1809", "--service", ANCS, "--name", "Hidden", "--background")
        await self.start_advertiser(*hidden)
        for uuid in ("1809", ANCS):
            scan = await self.start_scan(uuid, "180D")
            found = await scan.expect("discovered")
            self.assertEqual(found["overflowServices"], [uuid])
            self.assertNotIn("services", found)
            self.assertNotIn("name", found)
            await scan.terminate()
        scan = await self.start_scan()
        found = await scan.expect("discovered")
        self.assertNotIn("overflowServices", found)
        await scan.terminate()
        scan = await self.start_scan("180D")
        beacon = ("--service", "180D", "--name", "Beacon")
        await self.start_advertiser(*beacon, moniker=self.lab.further_monikers[0])
        await scan.expect("discovered", name="Beacon")
        for found in scan.all("discovered"):
            self.assertEqual(found["services"], ["180D"])
        await self.finish()


class Life(AdvertiseTest):
    """When an advertisement ends."""

    async def others_on_air(self, central: Peer) -> list[Record]:
        """Who is heard while a beacon is on air and changes several times."""
        before = len(central.records)
        await self.do(central, "scan", on=True)
        beacon = await self.start_advertiser(
            *("--service", "180F", "--name", "Beacon"), moniker=self.lab.further_monikers[0]
        )
        heard = {""}
        for change in ("background on", "background off", "background on"):
            beacon.write(change)
            plan = await beacon.expect("advertising", on=True)
            if plan["advertisement"]["octets"] not in heard:
                await self.hear(central, plan)
            heard.add(plan["advertisement"]["octets"])
        await self.do(central, "scan", on=False)
        self.assertEqual(await beacon.terminate(), 0)
        return [
            record
            for record in central.records[before:]
            if record["event"] == "advertisement" and record["octets"] not in heard
        ]

    async def test_a_connection_ends_it_and_start_begins_it_again(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        central = await self.start_central()
        advertiser = await self.start_advertiser("--name", "Thermo")
        await self.connect_to(central, advertiser)
        await advertiser.expect("advertising", on=False, reason="connected")
        await self.do(central, "disconnect")
        await advertiser.expect("disconnected")
        self.assertEqual(await self.others_on_air(central), [])
        advertiser.write("start")
        started = await advertiser.expect("advertising", on=True)
        await self.do(central, "scan", on=True)
        await self.hear(central, started)
        await self.finish()

    async def test_keep_advertising_goes_on_beside_a_connection(self) -> None:
        await self.lab.start_controllers()
        central = await self.start_central()
        advertiser = await self.start_advertiser("--name", "Thermo", "--keep-advertising")
        await self.connect_to(central, advertiser)
        again = await advertiser.expect("advertising", on=True)
        central.forget()
        await self.do(central, "scan", on=True)
        await self.hear(central, again)
        self.assertEqual(
            [r for r in advertiser.all("advertising") if r.get("reason") == "connected"], []
        )
        await self.finish()

    async def test_a_time_limit_ends_it_and_the_run(self) -> None:
        await self.lab.start_controllers()
        advertiser = await self.launch("--name", "Thermo", "--time-limit", "0.5")
        await advertiser.expect("advertising", on=False, reason="timeLimit")
        self.assertEqual(await advertiser.status(), 0)
        await self.finish()

    async def test_stop_is_immediate_and_a_signal_ends_the_run(self) -> None:
        await self.lab.start_controllers()
        advertiser = await self.start_advertiser("--name", "Thermo")
        advertiser.write("stop")
        await advertiser.expect("advertising", on=False, reason="stopped")
        self.assertEqual(await advertiser.terminate(), 0)
        await self.finish()


class Protected(AdvertiseTest):
    """Values for trusted centrals only."""

    def capture_holds(self, octets: bytes) -> bool:
        """Whether octets were in any packet between the hosts and their controllers."""
        return any(octets in path.read_bytes() for path in self.lab.directory.glob("*.btsnoop"))

    def captured(self, side: str) -> tuple[str, str]:
        """The arguments for a capture."""
        return "--snoop", str(self.lab.directory / f"{side}.btsnoop")

    async def publish(self, io: str = "none", central_io: str = "none") -> tuple[Peer, Peer]:
        """Somebody who publishes a profile, and a central that knows its table."""
        await self.lab.start_controllers()
        central = await self.start_central("--io", central_io, *self.captured("central"))
        advertiser = await self.start_advertiser(
            *("--name", "Profile", "--io", io, "--keep-advertising"),
            *("--publish", str(HERE.parent.parent / "Documentation/Schemas/profile.json")),
            *self.captured("advertiser"),
        )
        self.address = await self.connect_to(central, advertiser)
        found = (await self.do(central, "discover"))["services"]
        self.assertEqual(found[PROFILE], {NAME: ["READ"], MAIL: ["READ", "WRITE", "NOTIFY"]})
        self.assertEqual(found["180F"], {BATTERY_LEVEL: ["READ", "NOTIFY"]})
        return advertiser, central

    async def probe(self, central: Peer) -> None:
        """A central that is not trusted gets nothing."""
        refusals = (INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION)
        self.assertIn(await self.refused(central, "read", uuid=MAIL), refusals)
        self.assertIn(await self.refused(central, "write", uuid=MAIL, octets="00"), refusals)
        self.assertIn(await self.refused(central, "subscribe", uuid=MAIL), refusals)
        self.assertFalse(self.capture_holds(SECRET))

    async def use(self, advertiser: Peer, central: Peer) -> None:
        """A central that is trusted reads, subscribes, and writes."""
        self.assertEqual((await self.do(central, "read", uuid=MAIL))["octets"], SECRET.hex())
        await advertiser.expect("read", characteristic=MAIL)
        self.assertTrue(self.capture_holds(SECRET))
        await self.do(central, "subscribe", uuid=MAIL)
        await advertiser.expect("subscribed", characteristic=MAIL)
        advertiser.write("update " + MAIL + " lovelace@example.com")
        await advertiser.expect("updated", subscribers=1, sent=True)
        await central.expect("value", uuid=MAIL, octets=b"lovelace@example.com".hex())
        await self.do(central, "write", uuid=MAIL, octets=SECRET.hex())
        await advertiser.expect("written", characteristic=MAIL, value=SECRET.decode())
        self.assertEqual((await self.do(central, "read", uuid=MAIL))["octets"], SECRET.hex())

    async def reconnect(self, advertiser: Peer, central: Peer) -> None:
        """The same central is back, and need not pair."""
        await self.do(central, "disconnect")
        await advertiser.expect("disconnected")
        central.forget()
        advertiser.forget()
        await self.do(central, "connect", address=self.address)
        await self.do(central, "discover")
        await self.do(central, "encrypt")
        await advertiser.expect("secured", encrypted=True)
        self.assertEqual((await self.do(central, "read", uuid=MAIL))["octets"], SECRET.hex())
        self.assertEqual(central.all("pairing", "paired")[self.pairings :], [])

    pairings = 0

    async def test_values_that_are_not_protected_are_for_everybody(self) -> None:
        advertiser, central = await self.publish()
        self.assertEqual((await self.do(central, "read", uuid=BATTERY_LEVEL))["octets"], "64")
        self.assertEqual(
            (await self.do(central, "read", uuid=NAME))["octets"], b"Ada Lovelace".hex()
        )
        self.assertEqual(
            await self.refused(central, "write", uuid=NAME, octets="00"), WRITE_NOT_PERMITTED
        )
        await self.do(central, "subscribe", uuid=BATTERY_LEVEL)
        advertiser.write("update 2A19 0x63")
        await central.expect("value", uuid=BATTERY_LEVEL, octets="63")
        await self.do(central, "unsubscribe", uuid=BATTERY_LEVEL)
        await advertiser.expect("unsubscribed", characteristic=BATTERY_LEVEL)
        advertiser.write("update 180F/2A19 0x62")
        await advertiser.expect("updated", subscribers=0)
        self.assertEqual((await self.do(central, "read", uuid=BATTERY_LEVEL))["octets"], "62")
        self.assertEqual(central.all("pairing", "paired", "encrypted"), [])
        await self.finish()

    async def test_a_protected_value_is_for_who_has_paired_by_just_works(self) -> None:
        advertiser, central = await self.publish()
        await self.probe(central)
        await central.expect("securityRequest")
        await self.do(central, "pair")
        await advertiser.expect("paired")
        await self.use(advertiser, central)
        self.pairings = len(central.all("pairing", "paired"))
        await self.reconnect(advertiser, central)
        await self.finish()

    async def test_a_protected_value_is_for_who_has_paired_with_the_users_code(self) -> None:
        advertiser, central = await self.publish(io="keyboard", central_io="display")
        await self.probe(central)
        await central.expect("securityRequest")
        central.tell("pair")
        shown = await central.expect("pairing", display=lambda value: 0 <= value <= 999_999)
        await advertiser.expect("pairing", ask="enterPasskey")
        advertiser.write(f"passkey {shown['display']:06d}")
        await central.expect("done", do="pair")
        await advertiser.expect("paired")
        await advertiser.expect("secured", encrypted=True, authenticated=True)
        await self.use(advertiser, central)
        self.pairings = len(central.all("pairing", "paired"))
        await self.reconnect(advertiser, central)
        await self.finish()

    async def test_a_wrong_code_is_told_nothing(self) -> None:
        advertiser, central = await self.publish(io="keyboard", central_io="display")
        await self.probe(central)
        central.tell("pair")
        shown = await central.expect("pairing", display=lambda value: 0 <= value <= 999_999)
        await advertiser.expect("pairing", ask="enterPasskey")
        advertiser.write(f"passkey {(shown['display'] + 1) % 1_000_000:06d}")
        await advertiser.expect("securityFailed")
        self.assertIn(
            await self.refused(central, "read", uuid=MAIL),
            (INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION),
        )
        self.assertFalse(self.capture_holds(SECRET))
        await self.finish()


class ProgramAlone(InteropTest):
    """What needs no controller."""

    async def run_alone(self, *arguments: str) -> Peer:
        """Runs `ancs advertise` to its end."""
        program = await self.lab.start("program", *BINARY, "advertise", *arguments)
        await program.status()
        return program


class CommandLine(ProgramAlone):
    """What fits where."""

    async def test_without_a_controller_it_shows_what_fits_and_ends(self) -> None:
        program = await self.run_alone("--json", "--name", "Thermometer", "--service", ANCS)
        self.assertEqual(program.process.returncode, 0)
        [plan] = program.records
        self.assertEqual(plan["scanResponse"]["octets"], "0b08" + b"Thermomete".hex())
        self.assertTrue(plan["advertisement"]["octets"].endswith("0908" + b"Thermome".hex()))
        self.assertEqual([item.get("shortenedTo") for item in plan["items"]], [None, 8, 10])

    async def test_solicitations_that_do_not_fit_are_refused(self) -> None:
        program = await self.run_alone("--solicit", ANCS, "--solicit", PROFILE)
        self.assertEqual(program.process.returncode, 2)
        self.assertIn("6 octets too long", program.errors[0])

    async def test_without_the_controller_that_is_named_the_status_says_so(self) -> None:
        nowhere = f"unix:{self.lab.directory}/nowhere"
        program = await self.run_alone("--hci", nowhere, "--state", str(self.lab.directory))
        self.assertEqual(program.process.returncode, 3)

    async def test_a_time_limit_before_there_is_a_controller_is_no_success(self) -> None:
        nowhere = ["--hci", f"unix:{self.lab.directory}/nowhere", "--timeout", "1"]
        for command in (["scan"], ["receive", "--io", "none"], ["gatt"]):
            peer = ["Anybody"] if command == ["gatt"] else []
            program = await self.lab.start(command[0], *BINARY, *command, *nowhere, *peer)
            await program.status()
            self.assertEqual(program.process.returncode, 3, command)
            self.assertIn("the controller was not ready before the time limit", program.errors[-1])


class Publication(ProgramAlone):
    """The schema and the parser agree about what can be published."""

    FOLDER = HERE.parent.parent / "Documentation/Schemas"

    def setUp(self) -> None:
        schema = json.loads((self.FOLDER / "publication.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    async def test_the_example_is_valid(self) -> None:
        path = self.FOLDER / "profile.json"
        self.assertEqual(list(self.validator.iter_errors(json.loads(path.read_text()))), [])
        program = await self.run_alone("--json", "--publish", str(path))
        self.assertEqual(program.process.returncode, 0)
        places = {item["value"]: item["place"] for item in program.records[0]["items"]}
        self.assertEqual(places, {PROFILE: "advertisement", "180F": "advertisement"})

    MISTAKES: tuple[tuple[str, Any], ...] = (
        ("$", []),
        ("$", {}),
        ("$", {"services": [], "service": []}),
        ("$.services", {"services": {}}),
        ("$.services[0].uuid", {"services": [{"uuid": "18"}]}),
        ("$.services[0].uuid", {"services": [{"uuid": "180F-"}]}),
        ("$.services[0]", {"services": [{"characteristics": []}]}),
        ("$.services[0].primary", {"services": [{"uuid": "180F", "primary": 1}]}),
    )
    MISTAKES_OF_CHARACTERISTICS: tuple[tuple[str, Any], ...] = (
        ("", {"properties": []}),
        ("", {"uuid": "2A19"}),
        (".properties[0]", {"uuid": "2A19", "properties": ["broadcast"]}),
        (".permissions[0]", {"uuid": "2A19", "properties": [], "permissions": ["readble"]}),
        (".octets", {"uuid": "2A19", "properties": [], "octets": "6"}),
        (".octets", {"uuid": "2A19", "properties": [], "octets": "00" * 513}),
        (".octets", {"uuid": "2A19", "properties": [], "octets": "64", "value": "d"}),
        (".value", {"uuid": "2A19", "properties": [], "value": 100}),
        (".static", {"uuid": "2A19", "properties": ["read"], "static": "yes"}),
        (".descriptors[0]", {"uuid": "2A19", "properties": [], "descriptors": [{"uuid": "2901"}]}),
    )

    async def test_the_schema_and_the_program_refuse_the_same_mistakes(self) -> None:
        mistakes = list(self.MISTAKES)
        for place, mistake in self.MISTAKES_OF_CHARACTERISTICS:
            document = {"services": [{"uuid": "180F", "characteristics": [mistake]}]}
            mistakes.append((f"$.services[0].characteristics[0]{place}", document))
        path = self.lab.directory / "mistake.json"
        for place, document in mistakes:
            with self.subTest(place):
                self.assertFalse(self.validator.is_valid(document))
                path.write_text(json.dumps(document))
                program = await self.run_alone("--publish", str(path))
                self.assertEqual(program.process.returncode, 2)
                self.assertRegex(
                    program.errors[0], rf"mistake\.json:1:\d+: {re.escape(place)}: expected"
                )
