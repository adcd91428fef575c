"""How long `ancs decode` takes for a long capture, and how much memory.

`decode.py --ancs BINARY`. The capture is made here: a phone and an accessory of `ancs demo` go through a scenario in
virtual time, and their packets are repeated (long_capture.py).
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import long_capture

MEGABYTES = 200
SCENARIO = pathlib.Path(__file__).resolve().parents[2] / "Scenarios/flood.json"


def measure(command: list[str]) -> tuple[float, float, float]:
    """Seconds by the clock on the wall, seconds of CPU, and the peak of its own memory in MiB, looked at 100 times a
    second."""
    begin = time.perf_counter()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    peak = 0
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                peak = max(peak, int(line.split()[1]))
        time.sleep(0.01)
    if status != 0:
        raise SystemExit(f"{command} ended with status {status}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, peak / 1024


def main() -> None:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ancs", required=True)
    ancs = str(pathlib.Path(parser.parse_args().ancs).resolve())
    with tempfile.TemporaryDirectory(prefix="ancs-decode-") as folder:
        short, long = (pathlib.Path(folder) / name for name in ("short.btsnoop", "long.btsnoop"))
        subprocess.run(
            [ancs, "demo", "--scenario", str(SCENARIO), "--speed", "1000000", "--snoop", str(short)],
            check=True, stdout=subprocess.DEVNULL,
        )
        long.write_bytes(long_capture.lengthen(short.read_bytes(), MEGABYTES))
        for name, options in (("as text", []), ("as JSON", ["--json"])):
            seconds, cpu, peak = measure([ancs, "decode", *options, str(long)])
            print(
                f"{MEGABYTES} MB {name:12}{seconds:6.1f} s (goal: at most 4), {cpu:.1f} s of CPU, "
                f"{peak:.1f} MiB its own (goal: at most 5)"
            )


if __name__ == "__main__":
    main()
