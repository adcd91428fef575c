#!/usr/bin/env bash
# Builds the packages in Examples, runs their tests, and runs their programs at controllers in software.
# They share the package's build directory, so the library is not compiled again. Ends with a line that counts
# the cases.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
scratch=$PWD/.build
swift build --product ancs >&2
ancs=$PWD/.build/debug/ancs

directory=$(mktemp -d)
log=$directory/log
background=()
trap 'for pid in "${background[@]}"; do kill "$pid" 2>/dev/null || true; done; rm -rf "$directory"' EXIT

passed=0 failed=0
# Counts a case, and shows its output if it failed.
case_ended() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "passed: $2"
    else
        failed=$((failed + 1))
        echo "failed: $2" && sed 's/^/    /' "$log"
    fi
}

# Builds an example and runs its tests.
tests() {
    local status=0 total
    swift test --disable-xctest --package-path "Examples/$1" --scratch-path "$scratch" \
        >"$log" 2>&1 || status=$?
    total=$(sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p' "$log" | tail -n 1)
    [ "$status" -ne 0 ] || passed=$((passed + ${total:-1} - 1))
    case_ended "$status" "$1: tests"
}

# Starts a program that runs until the end of this script.
start() {
    "$@" >"$directory/background" 2>&1 &
    background+=($!)
}

call_filter() {
    start "$scratch/debug/call-filter" "unix:$directory/1" --decline Ada || return
    "$ancs" phone --hci "unix:$directory/0" --scenario Examples/CallFilter/calls.json || return
    cat "$directory/background"
    grep -q "declined a call from Mallory" "$directory/background" || return
    grep -q "Ada is calling" "$directory/background"
}

heart_rate() {
    local monitor=("$scratch/debug/heart-rate" monitor "unix:$directory/3" --state "$directory/state" --count 2)
    start "$scratch/debug/heart-rate" sensor "unix:$directory/2" || return
    "${monitor[@]}" >"$directory/first" || return
    "${monitor[@]}" >"$directory/second" || return
    cat "$directory/first" "$directory/second"
    ! grep -q "bound to" "$directory/first" || return
    grep -q "bound to" "$directory/second" && [ "$(grep -c "beats" "$directory/second")" -eq 2 ]
}

for example in Examples/*/Package.swift; do tests "$(basename "$(dirname "$example")")"; done

controllers=()
for number in 0 1 2 3; do controllers+=(--listen "unix-server:$directory/$number"); done
"$ancs" controllers "${controllers[@]}" >"$directory/controllers" 2>&1 &
background+=($!)
until grep -q READY "$directory/controllers"; do
    kill -0 "${background[0]}" 2>/dev/null || { cat "$directory/controllers" && exit 1; }
    sleep 0.1
done
for program in call_filter heart_rate; do
    status=0
    "$program" >"$log" 2>&1 || status=$?
    case_ended "$status" "$program at controllers in software"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
