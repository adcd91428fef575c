"""Measures an accessory and a phone in a closed loop, and says how far above the floor they are.

Each is one process of ours; everything else of the conversation, the other side, the controllers and the air,
is one other (`load`). The accessory reaches its controller over a pseudo-terminal and fetches eight attributes
of each notification, of which the next one is posted when the last one is answered. The phone reaches its own over a
Unix socket and answers for five attributes of each of as many notifications. The floor (`floor`) is a phone and an
accessory in C that make the system calls and copies of the accessory's conversation, and nothing else.

CPU time is user and system time of the process that is measured, from the subscription, or from the consent, to the
last answer. A run in which anything is missing ends everything with status 1.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Benchmarks" / "Phone"))

from phone import Child, Disappointment, PhoneKind, measure  # noqa: E402

POST = 'post Messages "{title}" "A message of the day, which took a while to write." date=2026-11-21T09:30:00\n'


@dataclasses.dataclass(frozen=True)
class Pace:
    """What one side took, for one notification."""

    cpu_microseconds: float
    rate: float = 0
    """Notifications in a second."""
    median: float = 0
    """Microseconds from a post to its answer, and the 99th percentile of that."""
    slow: float = 0


def floor(binary: str, count: int) -> tuple[Pace, Pace]:
    """The accessory and the phone of one run of the floor."""
    run = subprocess.run(
        [binary, str(count)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True
    )
    accessory, phone, rate, median, slow = (float(figure) for figure in run.stderr.split())
    return Pace(accessory, rate, median, slow), Pace(phone, rate)


def accessory(binaries: str, ancs: str, count: int) -> Pace:
    """One run of `ancs receive`."""
    with tempfile.TemporaryDirectory(prefix="ancs-bench-") as directory:
        place = f"{directory}/controller"
        load = Child(
            [f"{binaries}/load", "accessory", place, str(count)], directory, stdout=subprocess.PIPE
        )
        children = [load]
        try:
            load.await_line("LISTENING")
            ours = Child(
                [
                    *(ancs, "receive", "--json", "--io", "none", "--count", str(count)),
                    *("--hci", f"serial:{place}", "--state", f"{directory}/state"),
                ],
                directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            children.append(ours)
            reader = ours.drain()
            load.await_line("SUBSCRIBED")
            cpu = ours.cpu_seconds()
            rate, median, slow = (float(figure) for figure in load.await_figures("DONE"))
            cpu = ours.cpu_seconds() - cpu
            ours.finish()
            reader.join()
            load.finish()
            return Pace(cpu * 1e6 / count, rate, median, slow)
        except (Disappointment, OSError, subprocess.TimeoutExpired) as error:
            reports = [f"{child.name}: {child.close()}" for child in children]
            raise Disappointment("\n".join([str(error), *reports])) from error
        finally:
            for child in children:
                if child.process.poll() is None:
                    child.close()


def phone(binaries: str, ancs: str, count: int, *options: str) -> Pace:
    """One run of `ancs phone`."""
    kind = PhoneKind(
        "ancs", [ancs, "phone", "--no-consent", *options], POST, "consent on\n"
    )
    usage = measure(kind, f"{binaries}/load", 1, count)
    return Pace(usage.cpu_microseconds, usage.rate)


def median(runs: list[Pace]) -> Pace:
    """The median of each figure."""
    return Pace(*(statistics.median(values) for values in zip(*map(dataclasses.astuple, runs))))


def row(name: str, pace: Pace, least: Pace) -> str:
    """A line of the table."""
    times = f"{pace.cpu_microseconds / least.cpu_microseconds:.1f}" if pace is not least else ""
    fetch = f"{pace.median:10.0f}{pace.slow:9.0f}" if pace.median else ""
    return f"{name:24}{pace.cpu_microseconds:8.1f}{times:>9}{pace.rate:12.0f}{fetch}"


def main() -> int:
    """Lets everything take turns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binaries", default=str(ROOT / ".build/release"), metavar="DIRECTORY")
    parser.add_argument("--ancs", default=str(ROOT / ".build/ancs"), metavar="PATH")
    parser.add_argument("--count", type=int, default=3000, help="notifications in a run")
    parser.add_argument("--runs", type=int, default=3, help="runs of each")
    options = parser.parse_args()
    binaries, ancs, count = options.binaries, options.ancs, options.count
    try:
        floors = [floor(f"{binaries}/floor", count) for _ in range(options.runs)]
        accessories = [accessory(binaries, ancs, count) for _ in range(options.runs)]
        phones = [phone(binaries, ancs, count) for _ in range(options.runs)]
        talkers = [phone(binaries, ancs, count, "--json") for _ in range(options.runs)]
    except (Disappointment, subprocess.CalledProcessError) as error:
        print(f"loop: {error}", file=sys.stderr)
        return 1
    least_accessory, least_phone = (median(list(runs)) for runs in zip(*floors))
    print(f"{'':24}{'CPU µs':>8}{'floors':>9}{'per second':>12}{'fetch p50':>10}{'p99, µs':>9}")
    print(row("an accessory's floor", least_accessory, least_accessory))
    print(row("ancs receive --json", median(accessories), least_accessory))
    print(row("a phone's floor", least_phone, least_phone))
    print(row("ancs phone", median(phones), least_phone))
    print(row("ancs phone --json", median(talkers), least_phone))
    return 0


if __name__ == "__main__":
    sys.exit(main())
