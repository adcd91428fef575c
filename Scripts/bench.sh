#!/usr/bin/env bash
# Speed and memory, as ratios within one run: decoding against C; the accessory and the phone against the
# floor and against Bumble's; a Central at bluetoothd against sd-bus; the cost of one more connection, or of one
# more phone with its accessory; memory, start and a long capture of the release build; and counted instructions
# and system calls.
# Documentation/Development/Benchmarks.md says how to read it.
# The exit status says whether every part ran to its end; figures never make it fail.
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

Scripts/setup.sh peers

for product in ancs codec-benchmark memory-benchmark load floor scale-benchmark call-benchmark fade-benchmark \
    broker-benchmark central-by-hand delegate-benchmark; do
    swift build -c release --product "$product" 2>&1 | grep -E 'error:|warning:|^Build of' >&2
done
binaries=$(swift build -c release --show-bin-path)
for product in ancs load codec-benchmark central-benchmark; do
    Scripts/release.sh "$product" 2>&1 | grep -E 'error:|warning:|^Build of' >&2
done

echo "== decoding, ns for one value"
"$binaries/codec-benchmark"

echo
echo "== instructions, and system calls"
.venv/bin/python Benchmarks/Counts/counts.py

echo
echo "== memory per connection"
"$binaries/memory-benchmark"

echo
echo "== memory of the shipped tool"
.venv/bin/python Benchmarks/Memory/resident.py --ancs .build/ancs

echo
echo "== start-up time"
.venv/bin/python Benchmarks/Start/start.py --ancs .build/ancs

echo
echo "== ancs decode of a long capture"
.venv/bin/python Benchmarks/Decode/decode.py --ancs .build/ancs

echo
echo "== in a closed loop, and above the floor: what the system calls and copies of a notification take in C"
.venv/bin/python Benchmarks/Loop/loop.py --binaries "$binaries" --ancs .build/ancs

echo
echo "== an accessory: connect, pair, subscribe, 1000 notifications with five attributes"
.venv/bin/python Benchmarks/EndToEnd/end_to_end.py --ancs "$binaries/ancs"

echo
echo "== a phone: notifications announced to 1, 10 and 100 accessories, five attributes of each fetched"
.venv/bin/python Benchmarks/Phone/phone.py --binaries "$binaries"

echo
echo "== the daemon with a desktop and a bus"
.venv/bin/python Benchmarks/Daemon/daemon.py --ancs "$binaries/ancs"

echo
echo "== a call that rings while an accessory reads other notifications, in virtual time"
"$binaries/call-benchmark"

echo
echo "== an hour on a bad radio, in virtual time"
"$binaries/fade-benchmark"

echo
echo "== a call that rings, to Home Assistant's topic at mosquitto"
Benchmarks/Broker/run.sh "$binaries/broker-benchmark"

echo
echo "== a Central at bluetoothd: a scan, a connection, a discovery and 1000 reads"
.venv/bin/python Benchmarks/Central/central.py --central .build/central-benchmark --by-hand "$binaries/central-by-hand"

echo
echo "== values of a sensor, with events and with Core Bluetooth's delegates"
Benchmarks/Delegates/run.sh "$binaries/delegate-benchmark" "$binaries/ancs"

echo
echo "== phones with an accessory each, in one process and in virtual time"
"$binaries/scale-benchmark" 10
for size in 100 1000 "10 together" "100 together" "1000 together"; do
    # shellcheck disable=SC2086 # Two arguments.
    "$binaries/scale-benchmark" $size | tail -n 1
done
