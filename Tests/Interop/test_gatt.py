"""`ancs gatt`: what a peripheral of Bumble has is discovered and read."""

from __future__ import annotations

import re
import sys

from harness import BINARY, DEADLINE, HERE, InteropTest, Peer
from terminal import Terminal


class Gatt(InteropTest):
    """A peripheral with known, unknown and protected values."""

    async def start_peripheral(self, *arguments: str) -> tuple[Peer, str]:
        """Puts the peripheral on air, and gives its address."""
        await self.lab.start_controllers()
        peer = await self.lab.start(
            "peripheral",
            sys.executable,
            str(HERE / "peripheral.py"),
            *("--hci", self.lab.accessory_moniker),
            "--table",
            *arguments,
        )
        return peer, str((await peer.expect("ready"))["address"])

    async def start_gatt(self, *arguments: str) -> Peer:
        """Starts the command."""
        return await self.lab.start(
            "gatt", *BINARY, "gatt", "--hci", self.lab.phone_moniker, *arguments
        )

    async def test_everything_is_discovered_and_what_is_readable_is_read(self) -> None:
        peripheral, address = await self.start_peripheral()
        gatt = await self.start_gatt(address.lower(), "--json")
        self.assertEqual(await gatt.status(), 0)
        self.assertEqual(gatt.garbage, [])
        await gatt.expect("connected", address=address, addressType="static")
        await gatt.expect("service", uuid="1800", name="Generic Access", first=1)
        name = await gatt.expect("characteristic", uuid="2A00", properties=["read"])
        self.assertEqual(bytes.fromhex(name["value"]), b"Peripheral")
        self.assertEqual(name["text"], "Peripheral")
        secondary = await gatt.expect("service", uuid="BB00", primary=False)
        await gatt.expect("service", primary=True, includes=[secondary["first"]])
        product = await gatt.expect("characteristic", name="PnP ID")
        self.assertEqual(
            product["meaning"], "Bluetooth vendor 0x004C (Apple), product 0x1234, version 2.1.3"
        )
        await gatt.expect("descriptor", uuid="2901", value=b"A greeting".hex())
        long = await gatt.expect("characteristic", value=(bytes(range(256)) * 2).hex())
        self.assertNotIn("meaning", long)
        written = await gatt.expect("characteristic", properties=["write"])
        self.assertNotIn("value", written)
        self.assertNotIn("error", written)
        await peripheral.expect("disconnected", reason=0x13)

    async def test_protected_values_are_not_read_without_pairing(self) -> None:
        peripheral, address = await self.start_peripheral()
        gatt = await self.start_gatt(address, "--json")
        self.assertEqual(await gatt.status(), 0)
        battery = await gatt.expect("characteristic", uuid="2A19")
        self.assertEqual((battery["error"], battery["attError"]), ("needs pairing", 0x0F))
        self.assertNotIn("value", battery)
        await gatt.expect("characteristic", error="needs its user's permission")
        self.assertEqual(peripheral.all("paired"), [])

    async def test_with_pair_protected_values_are_read_after_the_user_agreed(self) -> None:
        peripheral, address = await self.start_peripheral("--io", "yesno")
        gatt = await self.start_gatt(address, "--pair", "--json")
        asked = await gatt.expect("pairing", ask="confirm")
        shown = await peripheral.expect("pairing", ask="confirm")
        self.assertEqual(asked["value"], shown["value"])
        gatt.write("yes")
        self.assertEqual(await gatt.status(), 0)
        await peripheral.expect("paired")
        await gatt.expect("characteristic", uuid="2A19", meaning="85 %")
        await gatt.expect("characteristic", value=b"secret".hex())

    async def test_a_refused_pairing_leaves_protected_values_unread(self) -> None:
        _, address = await self.start_peripheral("--io", "yesno")
        gatt = await self.start_gatt(address, "--pair", "--json")
        await gatt.expect("pairing", ask="confirm")
        gatt.write("no")
        await gatt.expect("characteristic", uuid="2A19", error="needs pairing")

    async def test_a_kept_bond_reads_protected_values_without_asking(self) -> None:
        peripheral, address = await self.start_peripheral()
        state = ("--state", str(self.lab.directory / "gatt"))
        first = await self.start_gatt(address, "--pair", "--json", *state)
        self.assertEqual(await first.status(), 0)
        await peripheral.expect("paired")
        again = await self.start_gatt(address, "--json", *state)
        self.assertEqual(await again.status(), 0)
        await again.expect("characteristic", uuid="2A19", meaning="85 %")
        self.assertEqual(len(peripheral.all("paired")), 1)

    async def test_text_from_the_air_is_made_visible(self) -> None:
        _, address = await self.start_peripheral()
        gatt = await self.start_gatt(address)
        self.assertEqual(await gatt.status(), 0)
        self.assertIn(
            "0x0010  Manufacturer Name String (2A29)", " ".join(gatt.garbage), gatt.report()
        )
        self.assertTrue(any(r"“Evil\u{1B}[2JInc”" in line for line in gatt.garbage))
        self.assertFalse(any("\x1b" in line for line in gatt.garbage))

    async def test_a_narrow_terminal_shows_every_handle_and_uuid_and_breaks_no_line(self) -> None:
        _, address = await self.start_peripheral()
        for columns in (60, 80):
            terminal = Terminal(
                *(*BINARY, "gatt", "--hci", self.lab.phone_moniker, address),
                columns=columns,
                rows=50,
            )
            self.addAsyncCleanup(terminal.kill)
            self.assertEqual(await terminal.status(), 0)
            text = re.sub(r"\x1b\[[0-9;]*m", "", terminal.octets.decode())
            lines = text.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
            for number in range(1, 7):
                self.assertIn(f"0A1B2C3D-0000-4000-8000-00000000AA0{number}", text)

    async def test_a_device_is_found_by_its_name(self) -> None:
        _, address = await self.start_peripheral("--data", "020106" + "050954657374")
        gatt = await self.start_gatt("Test", "--json")
        self.assertEqual(await gatt.status(), 0)
        await gatt.expect("connected", address=address, addressType="static")

    async def test_who_is_not_there_in_time_ends_with_status_1(self) -> None:
        await self.start_peripheral()
        gatt = await self.start_gatt("C0:00:00:00:00:01", "--timeout", "1")
        self.assertEqual(await gatt.status(), 1)
        self.assertIn("ancs: C0:00:00:00:00:01 was not heard", gatt.errors)

    async def test_a_signal_before_all_is_told_ends_with_status_1(self) -> None:
        _, address = await self.start_peripheral("--io", "yesno")
        gatt = await self.start_gatt(address, "--pair", "--json")
        await gatt.expect("pairing", ask="confirm")
        self.assertEqual(await gatt.terminate(), 1)

    async def test_who_takes_no_connections_ends_with_status_1(self) -> None:
        _, address = await self.start_peripheral("--not-connectable")
        # On a busy machine it may not even be heard in time.
        errors = [f"ancs: {address} was not heard"]
        timeout = 1
        while errors == [f"ancs: {address} was not heard"] and timeout < DEADLINE:
            gatt = await self.start_gatt(address, "--timeout", str(timeout))
            self.assertEqual(await gatt.status(), 1)
            errors = gatt.errors
            timeout *= 4
        self.assertEqual(errors, [f"ancs: {address} does not accept connections"])

    async def test_a_value_is_written_and_another_one_followed(self) -> None:
        peripheral, address = await self.start_peripheral()
        uuid = "0A1B2C3D-0000-4000-8000-00000000AA04"
        gatt = await self.start_gatt(address, "--json", "write", uuid, "0x0102")
        self.assertEqual(await gatt.status(), 0)
        await gatt.expect("written", uuid=uuid, value="0102")
        await peripheral.expect("written", value="0102")
        refused = await self.start_gatt(address, "write", "2A29", "me")
        self.assertEqual(await refused.status(), 1)
        self.assertTrue(any("property" in line for line in refused.errors), refused.report())
        gatt = await self.start_gatt(address, "--pair", "--json", "prompt")
        await gatt.expect("connected")
        for line in ("# the battery", "read 0x2A19", "subscribe 2A19", "rssi"):
            gatt.write(line)
        await gatt.expect("characteristic", uuid="2A19", meaning="85 %")
        await gatt.expect("subscribed", uuid="2A19")
        await gatt.expect("rssi")
        await gatt.expect("value", uuid="2A19", meaning="84 %")
        gatt.write("raed 2A19")
        await gatt.until(
            lambda: any("did you mean 'read'?" in line for line in gatt.errors), "a suggestion"
        )
        gatt.write("quit")
        self.assertEqual(await gatt.status(), 1)
