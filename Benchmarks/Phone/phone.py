"""Measures a phone with many accessories: `ancs phone` beside a phone on Bumble's stack.

Both serve the same accessories on the same virtual controllers, which are one other process
(`load phone`), and take turns. In a run notifications are posted, and all accessories connect, are paired
and subscribe; then the phone's user agrees to share the notifications, all of them are announced to all
accessories, and each accessory fetches five attributes of each: one answered command for one notification
at one accessory. A run in which anything is missing ends everything with status 1; how long a run takes
decides nothing.

CPU time is user and system time of the phone's process from the consent to the last answer.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INTEROP = ROOT / "Tests" / "Interop"

RUN_LIMIT = 300.0
MESSAGE = "A message of the day, which took a while to write."
LOADS = ((1, 2000), (10, 500), (100, 100))
"""How many accessories, and how many notifications for each of them."""


class Disappointment(Exception):
    """A run did not come to its end."""


@dataclasses.dataclass(frozen=True)
class Usage:
    """What a run took."""

    cpu_microseconds: float
    """For one answered command, with everything that belongs to it."""
    rate: float
    """Notifications, each at one accessory, in a second."""


@dataclasses.dataclass(frozen=True)
class PhoneKind:
    """A phone that can be measured."""

    name: str
    command: list[str]
    post: str
    """The line that posts a notification with a title."""
    share: str
    """The line that shares the notifications."""


class Child:
    """A process of a run."""

    def __init__(self, command: list[str], directory: str, **pipes: int) -> None:
        self.name = pathlib.Path(command[0]).name
        self.errors = open(f"{directory}/{self.name}.errors", "w+b")  # noqa: SIM115
        self.process = subprocess.Popen(
            command, cwd=ROOT, env={"PYTHONPATH": str(INTEROP)}, stderr=self.errors, **pipes
        )
        # The clock of another process, as `clock_getcpuclockid` composes it.
        self.clock = ~self.process.pid << 3 | 2

    def cpu_seconds(self) -> float:
        """What the process has used so far."""
        return time.clock_gettime(self.clock)

    def await_line(self, line: str) -> None:
        """Reads a line that has to be this one."""
        self.await_figures(line)

    def await_figures(self, word: str) -> list[str]:
        """Reads a line that has to begin with a word; gives what follows."""
        output = self.process.stdout
        assert output is not None
        if not select.select([output], [], [], RUN_LIMIT)[0]:
            raise Disappointment(f"{self.name} does not come to {word}")
        said = output.readline().decode().split()
        if said[:1] != [word]:
            raise Disappointment(f"{self.name} says '{' '.join(said)}' instead of {word}")
        return said[1:]

    def await_text(self, text: str) -> None:
        """Reads lines until one has a text in it."""
        output = self.process.stdout
        assert output is not None
        while line := output.readline():
            if text in line.decode():
                return
        raise Disappointment(f"{self.name} ended without '{text}'")

    def drain(self) -> threading.Thread:
        """Reads on, so that the process never waits for a reader."""

        def read() -> None:
            assert self.process.stdout is not None
            while self.process.stdout.read1(65_536):
                pass

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def write(self, text: str) -> None:
        """Writes to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def finish(self) -> None:
        """Waits for an end that has to be a good one."""
        status = self.process.wait(RUN_LIMIT)
        if status != 0:
            raise Disappointment(f"{self.name} ended with status {status}")

    def close(self) -> str:
        """Ends the process if it is still there; gives what it said on standard error."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        with self.errors:
            self.errors.seek(0)
            return self.errors.read().decode(errors="replace")


def measure(kind: PhoneKind, load_binary: str, accessories: int, count: int) -> Usage:
    """One run of one phone."""
    with tempfile.TemporaryDirectory(prefix="ancs-bench-") as directory:
        path = f"{directory}/phone.hci"
        load = Child(
            [load_binary, "phone", path, str(accessories), str(count)], directory, stdout=subprocess.PIPE
        )
        children = [load]
        try:
            load.await_line("LISTENING")
            phone = Child(
                [*kind.command, "--hci", f"unix:{path}", "--links", str(accessories)],
                directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            children.append(phone)
            for number in range(count):
                phone.write(kind.post.format(title=f"Friend {number}"))
                phone.await_text(f"Friend {number}")
            load.await_line("SUBSCRIBED")
            reader = phone.drain()
            cpu, started = phone.cpu_seconds(), time.perf_counter()
            phone.write(kind.share)
            load.await_line("DONE")
            seconds, cpu = time.perf_counter() - started, phone.cpu_seconds() - cpu
            phone.process.send_signal(signal.SIGTERM)
            phone.finish()
            reader.join()
            load.finish()
            commands = accessories * count
            return Usage(cpu * 1e6 / commands, commands / seconds)
        except (Disappointment, OSError, subprocess.TimeoutExpired) as error:
            reports = [f"{child.name}: {child.close()}" for child in children]
            raise Disappointment("\n".join([f"{kind.name}: {error}", *reports])) from error
        finally:
            for child in children:
                if child.process.poll() is None:
                    child.close()


class Table:
    """The figures, a line for each number of accessories."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.cpu: dict[str, list[float]] = {name: [] for name in names}
        titles = "".join(f"{name:>9}" for name in names)
        print(f"{'':12}{'CPU µs per command':>{9 * len(names)}}{'':25}notifications per second")
        print(f"{'accessories':12}{titles}{'':25}{titles}", flush=True)

    def add(self, accessories: int, usages: dict[str, Usage]) -> None:
        """Shows a line."""
        for name, usage in usages.items():
            self.cpu[name].append(usage.cpu_microseconds)
        cpu = "".join(f"{usage.cpu_microseconds:9.1f}" for usage in usages.values())
        rates = "".join(f"{usage.rate:9.0f}" for usage in usages.values())
        ratio = ""
        if len(self.names) == 2:
            ours, theirs = (usages[name].cpu_microseconds for name in self.names)
            ratio = f"  {theirs / ours:.1f} times less"
        print(f"{accessories:11} {cpu}{ratio:25}{rates}", flush=True)

    def close(self) -> None:
        """Says how the cost grows."""
        growth = ", ".join(
            f"{name} {figures[-1] / figures[0]:.2f}" for name, figures in self.cpu.items()
        )
        print(f"a command with {LOADS[-1][0]} accessories, compared with 1: {growth} times the CPU")


def median(runs: list[Usage]) -> Usage:
    """The median of each figure."""
    return Usage(
        statistics.median(run.cpu_microseconds for run in runs),
        statistics.median(run.rate for run in runs),
    )


def main() -> int:
    """Lets both phones take turns with each number of accessories."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binaries", default=str(ROOT / ".build/release"), metavar="DIRECTORY")
    parser.add_argument("--runs", type=int, default=3, help="runs of each phone and load")
    parser.add_argument("--only", choices=("ancs", "Bumble"), help="measure one phone")
    options = parser.parse_args()
    ours = PhoneKind(
        "ancs",
        [f"{options.binaries}/ancs", "phone", "--no-consent"],
        f'post Messages "{{title}}" "{MESSAGE}" date=2026-11-21T09:30:00\n',
        "consent on\n",
    )
    theirs = PhoneKind(
        "Bumble", [sys.executable, str(HERE / "bumble_phone.py")], "{title}\n", "share\n"
    )
    kinds = [kind for kind in (ours, theirs) if options.only in (None, kind.name)]
    table = Table([kind.name for kind in kinds])
    try:
        for accessories, count in LOADS:
            runs: dict[str, list[Usage]] = {kind.name: [] for kind in kinds}
            for _ in range(options.runs):
                for kind in kinds:
                    load = f"{options.binaries}/load"
                    runs[kind.name].append(measure(kind, load, accessories, count))
            table.add(accessories, {name: median(usages) for name, usages in runs.items()})
    except Disappointment as error:
        print(f"phone: {error}", file=sys.stderr)
        return 1
    table.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
