"""What `ancs serve` takes with a desktop and a bus: memory, wake-ups while nothing happens, and how long a
notification takes from the phone's announcement to the popup's call on the bus.

`daemon.py --ancs BINARY`. Everything is in one run on one machine, over controllers in software that move data at
connection events, as on air. The desktop is dunst under Xvfb, whose popups are not waited for.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Benchmarks/Memory")]

import harness  # noqa: E402
from own import memory  # noqa: E402

ROUNDS = 20
IDLE = 30


class Daemon:
    """A daemon with a desktop, and a phone that is paired with it."""

    def __init__(self, lab: harness.Lab, ancs: str) -> None:
        self.lab = lab
        self.ancs = ancs
        self.environment: list[str] = []
        self.screen: asyncio.subprocess.Process | None = None

    async def end(self) -> None:
        """Ends everything, as far as it was started."""
        await self.lab.close()
        if self.screen:
            self.screen.terminate()
            await self.screen.wait()

    async def start(self) -> None:
        """Starts everything, and pairs."""
        lab = self.lab
        address = f"unix:path={lab.directory}/bus"
        bus = await lab.start(
            "bus", "dbus-daemon", "--session", "--nofork", "--print-address", f"--address={address}"
        )
        await bus.until(lambda: bus.garbage, "an address")
        display, ready = os.pipe()
        self.screen = await asyncio.create_subprocess_exec(
            "Xvfb", "-displayfd", str(ready), "-screen", "0", "640x480x24",
            pass_fds=[ready], stderr=asyncio.subprocess.DEVNULL,
        )
        os.close(ready)
        number = (await asyncio.to_thread(os.read, display, 16)).decode().strip()
        self.environment = ["env", f"DBUS_SESSION_BUS_ADDRESS={address}", f"DISPLAY=:{number}"]
        await lab.start("dunst", *self.environment, "dunst", "-conf", "/dev/null")
        self.monitor = await lab.start(
            "monitor", *self.environment, "dbus-monitor", "--session",
            "interface='org.freedesktop.Notifications',member='Notify'",
        )
        await lab.start_controllers()
        configuration = lab.directory / "config.toml"
        configuration.write_text(f'[bluetooth]\nadapter = "{lab.accessory_moniker}"\nrequire = "none"\n')
        self.daemon = await lab.start(
            "daemon", *self.environment, self.ancs, "serve", "--config", str(configuration),
            "--state", str(lab.directory / "state"),
        )
        await self.daemon.until(
            lambda: any("on the bus" in line for line in self.daemon.errors), "its name"
        )
        self.phone = await lab.start_own_phone()
        pairing = await lab.start("pair", *self.environment, self.ancs, "pair")
        question = "does the phone show"
        await pairing.until(lambda: any(question in line for line in pairing.garbage), "a question")
        await self.phone.expect("pairing", ask="confirm")
        pairing.write("yes")
        self.phone.write("yes")
        if await pairing.status() != 0:
            raise SystemExit(pairing.report())

    @property
    def process(self) -> pathlib.Path:
        """Where the kernel tells of the daemon. `env` has become it."""
        return pathlib.Path(f"/proc/{self.daemon.process.pid}")

    def field(self, path: pathlib.Path, name: str) -> int:
        """A number of a status file."""
        for line in path.read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise KeyError(name)

    def memory(self) -> str:
        """How much it takes."""
        return memory(self.daemon.process.pid)

    def switches(self) -> int:
        """How often its threads went to sleep."""
        tasks = (self.process / "task").iterdir()
        return sum(self.field(task / "status", "voluntary_ctxt_switches") for task in tasks)

    async def latency(self, command: str, title: str) -> float:
        """Milliseconds from the phone's word that it announced to the first popup of it on the bus."""
        self.phone.forget()
        seen = len(self.monitor.garbage)
        self.phone.write(command)
        await self.phone.expect("announced")
        begin = time.monotonic()
        await self.monitor.until(
            lambda: any("member=Notify" in line for line in self.monitor.garbage[seen:]), title
        )
        return (time.monotonic() - begin) * 1000


async def measure(ancs: str) -> None:
    """Prints the rows."""
    harness.BINARY[:] = [ancs]
    harness.CONTROLLERS = "paced"
    lab = harness.Lab()
    daemon = Daemon(lab, ancs)
    try:
        await daemon.start()
        await asyncio.sleep(2)
        print(f"memory, a session and nothing to show    {daemon.memory()}")
        before = daemon.switches()
        await asyncio.sleep(IDLE)
        print(f"wake-ups a minute, idle                  {(daemon.switches() - before) * 60 / IDLE:.0f}")
        for kind, command in (("a text", "post Messages"), ("a call", "call")):
            times = []
            for number in range(ROUNDS):
                name = f"{kind} {number}"
                times.append(await daemon.latency(f"{command} '{name}'", name))
                if kind == "a call":
                    daemon.phone.write("stop")
                await asyncio.sleep(0.5)
            times.sort()
            print(
                f"from the phone to Notify, {kind}         {statistics.median(times):.0f} ms"
                f" (p50), {times[-1]:.0f} ms (the slowest of {ROUNDS})"
            )
        print(f"memory, afterwards                       {daemon.memory()}")
    finally:
        await daemon.end()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ancs", required=True)
    asyncio.run(measure(parser.parse_args().ancs))


if __name__ == "__main__":
    main()
