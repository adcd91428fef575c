"""Grades the firmware: `run.py [-k PATTERN] [-j WORKERS] [--all]`, or shows it: `run.py --show SCENARIO`.

Environment: `ANCS` and `ANCS_FIRMWARE` are what is run, `ANCS_FIRMWARE_DEADLINE` after how many seconds
without what is waited for a case is taken to hang.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import fnmatch
import sys
import time

import cases
from lab import Failure, lab

COLORS = {"board": "36", "iPhone": "33"}


def run(name: str) -> tuple[str, str, float, str]:
    """Plays a case and gives its name, what went wrong, its duration, and how much memory the board took."""
    started = time.monotonic()
    with lab() as made:
        trouble = ""
        try:
            {**cases.quick, **cases.slow}[name](made)
        except Failure as failure:
            trouble = f"{failure}\n{made.report()}"
        memory = [line for program in made.programs for line in program.lines if "heap" in line]
    return name, trouble, time.monotonic() - started, memory[-1].strip("- ") if memory else ""


def show(scenario: str) -> int:
    """Plays a scenario for somebody to look at, side by side; calls are declined."""
    color = sys.stdout.isatty()

    def write(name: str, line: str) -> None:
        if line.startswith("qemu-system-arm:"):
            # It was told to end.
            return
        head = f"{name:>7} │ "
        text = f"\x1b[{COLORS[name]}m{head}\x1b[0m{line}" if color else head + line
        print(text, flush=True)

    with lab(write) as made:
        made.start_controllers()
        made.start_board()
        cases.presses("-", "[- Decline]")(made)
        status = made.start_phone(scenario).wait(3600)
        made.check_board()
        time.sleep(0.2)
    return status


def main() -> int:
    """Plays the cases and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", dest="pattern", default="", help="only cases whose name contains this")
    parser.add_argument("-j", dest="workers", type=int, default=3, help="cases at a time")
    parser.add_argument("--all", action="store_true", help="the slow cases too")
    parser.add_argument("--show", metavar="SCENARIO", help="play a scenario and show both sides")
    options = parser.parse_args()
    if options.show:
        return show(options.show)
    chosen = {**cases.quick, **cases.slow} if options.all else cases.quick
    names = [name for name in chosen if fnmatch.fnmatch(name, f"*{options.pattern}*")]
    if not names:
        parser.error(f"no case has '{options.pattern}' in its name")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for name, trouble, duration, memory in pool.map(run, names):
            failed += bool(trouble)
            print(f"{'failed' if trouble else 'passed'}: {name}, {duration:.0f} s; {memory}", flush=True)
            if trouble:
                print("    " + trouble.replace("\n", "\n    "))
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
