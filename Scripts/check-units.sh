#!/usr/bin/env bash
# Fails when systemd would not take a unit of Packaging as it is, or when one is less sandboxed than it was. Ends
# with a line that counts what was checked.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Says what a check ended with: check NAME STATUS OUTPUT
check() {
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1: $3"
    fi
}

# The program need not be installed to check what starts it.
for kind in system user; do
    mkdir -p "$work/$kind"
    sed 's#/usr/bin/ancs#/bin/true#' "Packaging/systemd/$kind/ancs.service" >"$work/$kind/ancs.service"
    status=0
    output=$(XDG_RUNTIME_DIR=$work systemd-analyze "--$kind" verify --man=no "$work/$kind/ancs.service" 2>&1) \
        || status=1
    [ -z "$output" ] || status=1
    check "the unit of the $kind" "$status" "$output"
done

# systemd-analyze counts in tenths: 15 is 1.5.
exposure() {
    local status=0 output
    output=$(systemd-analyze security --offline=true --threshold="$2" "$work/$1/ancs.service" 2>&1) || status=1
    check "the sandbox of the $1's unit" "$status" "$(tail -n 1 <<<"$output"), more than $2 tenths"
}
exposure system 15
# What rules run is the user's own, and lives in the same sandbox.
exposure user 75

# With a drop-in the unit still is one.
for drop in dongle lasting-link; do
    mkdir -p "$work/$drop/ancs.service.d"
    cp "$work/system/ancs.service" "$work/$drop/"
    cp "Packaging/systemd/system/$drop.conf" "$work/$drop/ancs.service.d/"
    status=0
    output=$(systemd-analyze verify --man=no "$work/$drop/ancs.service" 2>&1) || status=1
    [ -z "$output" ] || status=1
    check "the drop-in $drop.conf" "$status" "$output"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
