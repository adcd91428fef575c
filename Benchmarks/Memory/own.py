"""How much memory a process takes: what `Benchmarks/Memory` and `Benchmarks/Daemon` print."""

from __future__ import annotations

import pathlib


def memory(process: int) -> str:
    """A process's *own* memory, which is not of files (`RssAnon`), and that with its share of the pages that it has of
    files (`Pss`), where a page that several processes map is counted once."""
    fields = {}
    for file in ("status", "smaps_rollup"):
        for line in pathlib.Path(f"/proc/{process}/{file}").read_text().splitlines():
            name, _, value = line.partition(":")
            fields[name] = value
    own, share = (int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "Pss"))
    return f"{own:.1f} MiB its own, {share:.1f} with its share of files"
