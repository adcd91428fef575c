"""A program for Core Bluetooth, as it is on a Mac, and a sensor made of Bumble."""

from __future__ import annotations

import sys

from harness import HERE, ROOT, InteropTest, Peer

MONITOR = ROOT / ".build/debug/heart-rate-monitor"


class CoreBluetooth(InteropTest):
    """The monitor of HeartRate/main.swift, which was written for a Mac."""

    async def start_sensor(self) -> Peer:
        """Puts a sensor on air that sends 200 measurements."""
        sensor = await self.lab.start(
            "sensor",
            *(sys.executable, str(HERE / "heart_rate_sensor.py")),
            *("--hci", self.lab.accessory_moniker),
        )
        await sensor.expect("ready")
        return sensor

    async def start_monitor(self) -> Peer:
        """Starts the program, whose lines come one by one."""
        return await self.lab.start(
            "monitor",
            *("env", f"CB_LINUX_ADAPTER={self.lab.phone_moniker}"),
            *(f"XDG_STATE_HOME={self.lab.directory}", "stdbuf", "-oL", str(MONITOR)),
        )

    async def measurements(self, monitor: Peer) -> list[int]:
        """Waits for 200 values, and tells them."""

        def values() -> list[int]:
            return [int(line.split()[0]) for line in monitor.garbage if line.endswith(" bpm")]

        await monitor.until(lambda: len(values()) >= 200, "200 values")
        return values()

    async def test_a_program_for_a_mac_prints_200_values_of_a_sensor_in_order(self) -> None:
        await self.lab.start_controllers()
        sensor = await self.start_sensor()
        monitor = await self.start_monitor()
        self.assertEqual(await self.measurements(monitor), list(range(200)))
        first, *rest = monitor.garbage
        self.assertRegex(first, r"^found Pulse, -\d+ dBm, [0-9A-F-]{36}$")
        self.assertIn("sensor location 1", rest)
        self.assertEqual(monitor.errors, [])
        await monitor.kill()
        await sensor.expect("disconnected")

    async def test_it_connects_again_and_in_another_run_the_sensor_has_the_same_identifier(self) -> None:
        await self.lab.start_controllers()
        sensor = await self.start_sensor()
        monitor = await self.start_monitor()
        await self.measurements(monitor)
        found = monitor.garbage[0].rpartition(", ")[2]
        await sensor.kill()
        await monitor.until(
            lambda: any(line.startswith("disconnected") for line in monitor.garbage), "the end"
        )
        monitor.garbage.clear()
        await self.lab.until_free(self.lab.accessory_moniker)
        await self.start_sensor()
        self.assertEqual(await self.measurements(monitor), list(range(200)))
        await monitor.kill()
        await self.lab.until_free(self.lab.phone_moniker)
        again = await self.start_monitor()
        await self.measurements(again)
        self.assertEqual(again.garbage[0].rpartition(", ")[2], found)

    async def test_a_program_that_is_both_at_once_passes_on_every_value(self) -> None:
        await self.lab.start_controllers(
            "tcp-server:127.0.0.1:0", "tcp-server:127.0.0.1:0", "tcp-server:127.0.0.1:0"
        )
        relay = await self.lab.start(
            "relay",
            *("env", f"CB_LINUX_ADAPTER={self.lab.further_monikers[0]}"),
            *(f"XDG_STATE_HOME={self.lab.directory}", "stdbuf", "-oL"),
            str(ROOT / ".build/debug/heart-rate-relay"),
        )
        await relay.until(lambda: "advertising" in relay.garbage, "advertising")
        monitor = await self.start_monitor()
        await relay.until(lambda: "subscribed" in relay.garbage, "subscription")
        await self.start_sensor()
        self.assertEqual(await self.measurements(monitor), list(range(200)))
        self.assertRegex(monitor.garbage[0], r"^found Relay, ")
        self.assertEqual(relay.errors, [])
