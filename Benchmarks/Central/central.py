"""A Central at bluetoothd: a scan, a connection, a discovery and 1,000 reads through `CentralManager`, against the same
calls by hand with sd-bus in C.

`central.py --central PROGRAM --by-hand PROGRAM`. The program in C has one match rule for all signals of bluetoothd,
or rules for those that it needs, which leave out the values that are read. The double of bluetoothd is another
process, on a private bus; the sides alternate. The figures are processor times of the process, from its start until
the last value has been read, and each is the shortest of `ROUNDS`: whatever else runs on the machine only adds to
them. They are measured twice: with all processes on one processor, and on all processors, where one that has nothing
to do sleeps between two messages and begins with cold caches.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROUNDS = 9
RUN_LIMIT = 60
"""Seconds for one run; most of the two that it takes are those in which bluetoothd ends a link."""


def measure(central: pathlib.Path, by_hand: pathlib.Path, address: str) -> dict[str, float]:
    """The shortest processor time of each side, in milliseconds."""
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address}
    commands = {
        "all signals": [by_hand, address, "all"],
        "needed signals": [by_hand, address, "needed"],
        "CentralManager": [central],
    }
    figures: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            output = subprocess.run(
                command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=RUN_LIMIT
            ).stdout
            figures[name].append(int(output) / 1_000)
    return {name: min(times) for name, times in figures.items()}


def served(central: pathlib.Path, by_hand: pathlib.Path) -> dict[str, float]:
    """Measures at a bus with the double of bluetoothd, on the processors that this process may use."""
    processes: list[subprocess.Popen[str]] = []

    def start(*command: str | pathlib.Path, **pipes: int) -> str:
        """Starts a process that says when it is ready."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **pipes)
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline()

    with tempfile.TemporaryDirectory() as directory:
        address = f"unix:path={directory}/bus"
        try:
            # Started by root, it complains about its own limits.
            said = start(
                "dbus-daemon", "--session", "--nofork", "--print-address", f"--address={address}",
                stderr=subprocess.DEVNULL,
            )
            if not said.startswith(address):
                sys.exit("central.py: dbus-daemon does not begin")
            if start(central, "--serve", address) != "ready\n":
                sys.exit("central.py: the double of bluetoothd does not begin")
            return measure(central, by_hand, address)
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait()


def main() -> None:
    """Measures, and prints a row for one processor and one for all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--central", type=pathlib.Path, required=True)
    parser.add_argument("--by-hand", type=pathlib.Path, required=True)
    programs = parser.parse_args()
    processors = os.sched_getaffinity(0)
    print(f"{'processors':>10}{'CentralManager, CPU ms':>25}{'by hand with':>17}{'CPU ms':>9}{'ratio':>8}")
    for count, allowed in {1: {min(processors)}, len(processors): processors}.items():
        os.sched_setaffinity(0, allowed)
        figures = served(programs.central, programs.by_hand)
        ours = figures.pop("CentralManager")
        for signals, hand in figures.items():
            print(f"{count:10}{ours:25.1f}{signals:>17}{hand:9.1f}{ours / hand:8.2f}")


if __name__ == "__main__":
    main()
