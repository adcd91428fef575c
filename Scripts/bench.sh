#!/usr/bin/env bash
# Speed and memory, as ratios within one run: decoding against C, the accessory against Bumble's, and
# the memory that one more connection takes. Documentation/Benchmarks.md says how to read it.
# The exit status tells whether every part ran to its end; no figure makes it fail.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh peers

for product in ancs codec-benchmark memory-benchmark; do
    swift build -c release --product "$product" 2>&1 | grep -E 'error:|warning:|^Build of' >&2
done
binaries=$(swift build -c release --show-bin-path)

echo "== decoding, ns for one value"
"$binaries/codec-benchmark"

echo
echo "== memory per connection"
"$binaries/memory-benchmark"

echo
echo "== end to end: connect, pair, subscribe, 1000 notifications with five attributes"
.venv/bin/python Benchmarks/EndToEnd/end_to_end.py --ancs "$binaries/ancs"
