"""Runs the interop suite: `run.py [-k PATTERN]... [-j WORKERS] [-v]`.

Environment: `ANCS_INTEROP_CONTROLLERS` says whose controllers carry it (`ours`, `paced` or
`bumble`), `ANCS_INTEROP_ORDER` in which order ours give their packets to the hosts (`kept` or
`usb`), `ANCS` is the program under test (default `.build/debug/ancs`), `ANCS_INTEROP_KEEP` keeps
captures and bonds, `ANCS_INTEROP_DEADLINE` is after how many seconds without an event a test
is taken to hang.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import fnmatch
import io
import pathlib
import shutil
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import BINARY  # noqa: E402


def test_names(patterns: list[str]) -> list[str]:
    """The names of the tests that match one of the patterns; a pattern that matches none is wrong usage."""

    def walk(suite: unittest.TestSuite) -> list[str]:
        names: list[str] = []
        for item in suite:
            names += walk(item) if isinstance(item, unittest.TestSuite) else [item.id()]
        return names

    names = walk(unittest.defaultTestLoader.discover(str(HERE), "test_*.py", str(HERE)))
    if broken := [name for name in names if "_FailedTest" in name]:
        unittest.defaultTestLoader.loadTestsFromNames(broken).debug()
    found: set[str] = set()
    for pattern in patterns:
        matching = fnmatch.filter(names, f"*{pattern}*")
        if not matching:
            print(f"run.py: no test has '{pattern}' in its name", file=sys.stderr)
            sys.exit(2)
        found.update(matching)
    return [name for name in names if name in found]


def run_test(name: str) -> tuple[str, str, float, str]:
    """Runs one test and gives its name, outcome, duration, and what there is to say."""
    output = io.StringIO()
    started = time.monotonic()
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    (test,) = suite
    with contextlib.redirect_stderr(output):
        result = unittest.TextTestRunner(stream=output, verbosity=0).run(suite)
    duration = time.monotonic() - started
    if result.skipped:
        return name, "skipped", duration, result.skipped[0][1]
    if result.wasSuccessful():
        return name, "passed", duration, ""
    lab = getattr(test, "lab", None)
    report = lab.report() if lab is not None else ""
    return name, "failed", duration, output.getvalue() + report


def main() -> int:
    """Runs the suite and counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "-k", dest="patterns", action="append", help="only tests whose name contains this"
    )
    # A test mostly waits: six at a time keep one of two processors busy. Nine were not faster beside other work.
    parser.add_argument("-j", dest="workers", type=int, default=6, help="tests at a time")
    parser.add_argument("-v", dest="verbose", action="store_true", help="name each test")
    options = parser.parse_args()
    if shutil.which(BINARY[0]) is None:
        print(f"{BINARY[0]} is not there: build it, or name another in ANCS", file=sys.stderr)
        return 2
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    started = time.monotonic()
    names = test_names(options.patterns or [""])
    with concurrent.futures.ProcessPoolExecutor(options.workers) as pool:
        for name, outcome, duration, message in pool.map(run_test, names):
            counts[outcome] += 1
            if options.verbose or outcome != "passed":
                print(f"{outcome:7} {duration:5.1f} s  {name}", flush=True)
            if outcome != "passed":
                print(message, flush=True)
    print(f"{len(names)} interop tests in {time.monotonic() - started:.0f} s")
    # A test that could not run has not passed.
    failed = counts["failed"] + counts["skipped"]
    print(f"{counts['passed']} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
