"""How long the tool takes to start: `ancs --version`, `ancs --help`, and `ancs receive` until a phone can find it.

`start.py --ancs BINARY`. `receive` is at a controller in software that answers at once and moves no data; `/bin/true`
is what starting any program takes here.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Interop"))

import harness  # noqa: E402

ROUNDS, SESSIONS = 200, 20


def start(command: list[str]) -> float:
    """Milliseconds from the call to the end of a program."""
    begin = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise SystemExit(f"{command} ended with status {status}")
    return (time.perf_counter() - begin) * 1000


def reach_air(command: list[str]) -> float:
    """Milliseconds from the call of `receive --verbose` to the words that it advertises."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    for line in process.stderr:
        if b"advertising as" in line:
            break
    else:
        raise SystemExit(f"{command} did not advertise")
    elapsed = (time.perf_counter() - begin) * 1000
    process.terminate()
    process.stderr.read()
    process.wait()
    return elapsed


def row(what: str, times: list[float], goal: str = "") -> None:
    """Prints the median, which a busy moment does not change."""
    print(f"{what:32}{statistics.median(times):6.2f} ms{goal}")


async def measure(ancs: str) -> None:
    """Prints the rows."""
    harness.BINARY[:] = [ancs]
    # In turns, so that what else the machine does is in all of them.
    commands = {"/bin/true": ["/bin/true"]}
    commands |= {f"ancs {option}": [ancs, option] for option in ("--version", "--help")}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(start(command))
    for name in commands:
        row(name, times[name], " (goal: at most 3)" if "ancs" in name else "")
    lab = harness.Lab()
    try:
        await lab.start_controllers()
        state = str(lab.directory / "state")
        command = [ancs, "receive", "--verbose", "--hci", lab.accessory_moniker, "--state", state]
        on_air = []
        for _ in range(SESSIONS):
            await lab.until_free(lab.accessory_moniker)
            on_air.append(await asyncio.to_thread(reach_air, command))
        row("ancs receive, on air", on_air, " (goal: at most 20)")
    finally:
        await lab.close()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ancs", required=True)
    asyncio.run(measure(str(pathlib.Path(parser.parse_args().ancs).resolve())))


if __name__ == "__main__":
    main()
