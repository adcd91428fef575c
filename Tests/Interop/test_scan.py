"""`ancs scan`: who is on air, on a terminal and elsewhere."""

from __future__ import annotations

import sys

from harness import BINARY, HERE, InteropTest, Peer
from terminal import Terminal

FLAGS = "020106"
ANYWHERE = "tcp-server:127.0.0.1:0"


def structure(kind: int, data: bytes) -> str:
    """One AD structure in hexadecimal."""
    return (bytes([len(data) + 1, kind]) + data).hex()


class Scan(InteropTest):
    """Devices of several kinds."""

    async def start_peripheral(self, moniker: str, *arguments: str) -> str:
        """Puts a device on air, and gives its address."""
        peer = await self.lab.start(
            "peripheral", sys.executable, str(HERE / "peripheral.py"), "--hci", moniker, *arguments
        )
        return str((await peer.expect("ready"))["address"])

    async def start_scan(self, *arguments: str) -> Peer:
        """Starts the command, to tell in JSON."""
        scan = await self.lab.start(
            "scan", *BINARY, "scan", "--hci", self.lab.phone_moniker, "--json", *arguments
        )
        await scan.expect("scanning", on=True)
        return scan

    async def test_what_is_on_air_is_told(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        watch = await self.start_peripheral(
            self.lab.further_monikers[0],
            *("--data", FLAGS + structure(0x03, b"\x0f\x18") + structure(0x19, b"\xc2\x00")),
            *("--scan-response", structure(0x09, "手表".encode())),
        )
        await self.lab.start_accessory("--name", "Desk")
        scan = await self.start_scan()
        found = await scan.expect("discovered", address=watch, addressType="static")
        named = found if "name" in found else await scan.expect("discovered", name="手表")
        self.assertEqual(named["services"], ["180F"])
        self.assertEqual(named["appearance"], 0x00C2)
        self.assertEqual(named["likeness"], "smartwatch")
        self.assertTrue(named["connectable"])
        self.assertIn("rssi", named)
        accessory = await scan.expect("discovered", name="Desk")
        self.assertEqual(
            accessory["solicitedServices"], ["7905F431-B5CE-4E99-A40F-4B1E122D00D0"]
        )
        self.assertEqual(accessory["likeness"], "ANCS accessory")
        self.assertEqual(await scan.terminate(), 0)
        await scan.expect("scanning", on=False)
        self.assertEqual(scan.garbage, [])

    async def test_a_service_that_is_asked_for_leaves_out_the_others(self) -> None:
        await self.lab.start_controllers(ANYWHERE, ANYWHERE, ANYWHERE)
        await self.start_peripheral(
            self.lab.accessory_moniker, "--data", FLAGS + structure(0x03, b"\x0f\x18")
        )
        heart = await self.start_peripheral(
            self.lab.further_monikers[0],
            *("--not-connectable", "--data", FLAGS + structure(0x03, b"\x0d\x18")),
        )
        scan = await self.start_scan("--service", "180D", "--duplicates")
        for _ in range(2):
            found = await scan.expect("discovered")
            self.assertEqual(found["address"], heart)
            self.assertFalse(found["connectable"])
        self.assertEqual(await scan.terminate(), 0)
        self.assertEqual({record["address"] for record in scan.all("discovered")}, {heart})

    async def test_a_terminal_shows_a_table_and_never_a_raw_character_from_the_air(self) -> None:
        await self.lab.start_controllers()
        address = await self.start_peripheral(
            self.lab.accessory_moniker,
            *("--data", FLAGS + structure(0x09, b"\x1b[31mEvil\xe2\x80\xae")),
        )
        terminal = Terminal(*BINARY, "scan", "--hci", self.lab.phone_moniker, columns=100, rows=6)
        self.addAsyncCleanup(terminal.kill)
        await terminal.until(b"1 device heard")
        self.assertEqual(await terminal.end(), 0)
        self.assertIn(b"\x1b[?1049h", terminal.octets)
        self.assertNotIn(b"\x1b[31m", terminal.octets)
        self.assertNotIn("\u202e".encode(), terminal.octets)
        # What stays after the end is the table.
        _, _, rest = terminal.octets.rpartition(b"\x1b[?1049l")
        self.assertIn(address.encode(), rest)
        self.assertIn(rb"\u{1B}[31mEvil\u{202E}", rest)

    async def test_a_log_has_a_line_for_each_device(self) -> None:
        await self.lab.start_controllers()
        address = await self.start_peripheral(
            self.lab.accessory_moniker,
            *("--data", FLAGS + structure(0x19, b"\x80\x05")),
            *("--scan-response", structure(0x09, b"Lamp")),
        )
        scan = await self.lab.start("scan", *BINARY, "scan", "--hci", self.lab.phone_moniker)
        await scan.until(lambda: scan.garbage, "line")
        self.assertEqual(await scan.terminate(), 0)
        (line,) = scan.garbage
        self.assertTrue(line.startswith(f"{address}  static"), line)
        self.assertTrue(line.endswith("Lamp · light"), line)

    async def test_without_a_controller_the_status_is_3(self) -> None:
        scan = await self.lab.start("scan", *BINARY, "scan", "--hci", "unix:/nowhere")
        self.assertEqual(await scan.status(), 3)
