#!/usr/bin/env bash
# A phone and our accessory, each at a virtual controller: pairing, a handful of notifications, a call.
# The phone and the controllers are Bumble's; `ancs receive` is what a real accessory would run.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh peers
swift build --product ancs 2>&1 | grep -E 'error|warning|Compiling|Build' | tail -n 1 >&2

work=$(mktemp -d)
pids=()
finish() {
    # Each by its own number; what has ended already is no fault.
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

.venv/bin/python Tests/Interop/controllers.py \
    "unix-server:$work/accessory" "unix-server:$work/phone" >"$work/controllers.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
    grep -q READY "$work/controllers.log" && break
    sleep 0.1
done

.venv/bin/python Tests/Interop/phone.py --hci "unix:$work/phone" \
    --script Tests/Interop/demo.json >"$work/phone.log" 2>&1 &
pids+=($!)

# The demo's phone adds eight notifications.
.build/debug/ancs receive --hci "unix:$work/accessory" --name Desk --state "$work/state" \
    --count 8 --timeout 60

cat <<'END'

That was a first pairing over an encrypted link, eight notifications, a call and a removal.
With a controller of your own:   .build/debug/ancs receive --hci serial:/dev/ttyACM0 --verbose
As JSON Lines:                   .build/debug/ancs receive --hci hci-socket:0 --json
Explain octets from a log:       echo 'ns 001a010100000000' | .build/debug/ancs decode
END
