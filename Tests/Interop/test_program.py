"""Controllers of different ability, ways to reach them, and how the program ends."""

from __future__ import annotations

from harness import InteropTest


class Controllers(InteropTest):
    """Controllers that can do more or less."""

    async def check(self, abilities: str, phone_abilities: str = "") -> None:
        """A whole session, with an answer that takes several packets."""
        phone, accessory = await self.connect(
            endpoint=f"tcp-server:127.0.0.1:0{abilities}",
            phone_endpoint=f"tcp-server:127.0.0.1:0{phone_abilities}",
        )
        await self.subscribe(phone)
        phone.tell("flood", count=10)
        for number in range(10):
            await accessory.expect("added", uid=number, title=f"Title {number} 通知")
        phone.tell("disconnect")
        await accessory.expect("disconnected")
        await phone.expect("encrypted", bonded=True)
        await self.finish()

    async def test_legacy_advertising_only(self) -> None:
        await self.check("+legacy")

    async def test_two_controllers_of_bluetooth_4(self) -> None:
        await self.check("+legacy", "+legacy")

    async def test_a_phone_of_bluetooth_4_sees_an_accessory_of_bluetooth_5(self) -> None:
        await self.check("", "+legacy")

    async def test_le_shares_the_buffers_of_br_edr(self) -> None:
        await self.check("+shared-acl")

    async def test_one_small_buffer(self) -> None:
        await self.check("+acl=27,1")

    async def test_few_small_buffers_shared_on_a_legacy_controller(self) -> None:
        await self.check("+legacy+acl=27,3+shared-acl")


class Transports(InteropTest):
    """Ways to reach a controller other than TCP."""

    async def check(self, endpoint: str) -> None:
        phone, accessory = await self.connect(endpoint=endpoint)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "First")
        await self.finish()

    async def test_unix_socket(self) -> None:
        await self.check(f"unix-server:{self.lab.directory / 'hci.socket'}")

    async def test_serial_line(self) -> None:
        await self.check(f"pty:{self.lab.directory / 'hci.tty'}")


class Ends(InteropTest):
    """How a run of the program ends."""

    async def test_count_reached_ends_with_status_0(self) -> None:
        phone, accessory = await self.connect(accessory=("--count", "3"))
        await self.subscribe(phone)
        phone.tell("flood", count=5)
        self.assertEqual(await accessory.status(), 0)
        self.assertEqual(len(accessory.all("added")), 3)
        await phone.expect("disconnected")
        await self.finish()

    async def test_timeout_before_the_count_ends_with_status_1(self) -> None:
        _, accessory = await self.connect(accessory=("--count", "3", "--timeout", "2"))
        self.assertEqual(await accessory.status(), 1)

    async def test_timeout_without_a_count_ends_with_status_0(self) -> None:
        _, accessory = await self.connect(accessory=("--timeout", "1"))
        self.assertEqual(await accessory.status(), 0)

    async def test_sigterm_ends_a_session_politely_with_status_0(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        self.assertEqual(await accessory.terminate(), 0)
        end = await phone.expect("disconnected")
        self.assertEqual(end["reason"], 0x13)  # Remote User Terminated Connection
        await self.finish()

    async def test_sigterm_before_any_phone_ends_with_status_0(self) -> None:
        await self.lab.start_controllers()
        accessory = await self.lab.start_accessory("--verbose")
        await accessory.until(
            lambda: (
                any("dvertis" in line for line in accessory.errors + accessory.garbage)
                or accessory.records
            ),
            "sign of advertising",
        )
        self.assertEqual(await accessory.terminate(), 0)

    async def test_wrong_usage_ends_with_status_2(self) -> None:
        accessory = await self.lab.start_accessory(
            "--no-such-option", moniker="tcp-client:127.0.0.1:9"
        )
        self.assertEqual(await accessory.status(), 2)

    async def test_the_phone_is_asked_for_a_link_that_lasts(self) -> None:
        _, accessory = await self.connect()
        decided = await accessory.expect("link")
        self.assertEqual(decided["link"]["timeout"], 6000)
        self.assertEqual(decided["link"]["latency"], 0)
        self.assertNotIn("kept", decided["link"])
        await self.finish()

    async def test_a_name_is_advertised(self) -> None:
        phone, _ = await self.connect(accessory=("--name", "Schreibtisch ✍"))
        found = await phone.expect("found")
        self.assertEqual(found["name"], "Schreibtisch ✍")
        accessory = await phone.expect("accessory")
        self.assertEqual(accessory["name"], "Schreibtisch ✍")
        await self.finish()
