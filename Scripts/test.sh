#!/usr/bin/env bash
# Runs all tests: formatting, floors, unit tests, the Embedded build of the core, the documentation, the examples, the
# firmware, the interop suite against Bumble, and the cases on a kernel with bluetoothd. Ends with the duration and
# the processor time of each part, and a line that counts the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d) kernels= fuzzer=
trap '[ -z "$kernels$fuzzer" ] || kill $kernels $fuzzer 2>/dev/null || true; rm -rf "$work"' EXIT

took=() part="" began=0 used=0
# Begins a part of the tests, and ends the previous one.
part() {
    local seconds=$((SECONDS - began)) now
    # Processor time of this script and of what it has waited for; a pipe would ask a shell of its own.
    times >"$work/times"
    now=$(sed 's/[ms]/ /g' "$work/times" | awk '{ sum += 60 * ($1 + $3) + $2 + $4 } END { print int(sum) }')
    if [ -n "$part" ]; then
        took+=("$(printf '%3d min %2d s  %4d s of CPU  %s' \
            $((seconds / 60)) $((seconds % 60)) $((now - used)) "$part")")
    fi
    part=$1 began=$SECONDS used=$now
    if [ -n "$part" ]; then echo "== $part"; fi
}

part "set-up"
Scripts/setup.sh peers

part "formatting"
swift format lint --strict --parallel --recursive Sources Tests Simulation Fuzz Benchmarks Examples \
    Package.swift

part "build"
export ANCS_ONLY=all
swift build --build-tests

part "floors"
Scripts/check-imports.sh
Scripts/lines.py

part "texts"
Scripts/check-texts.sh

part "switches"
Scripts/check-switches.sh

part "other machines"
Scripts/check-machines.sh

part "the picture of the README"
Scripts/picture.py --check

passed=0 failed=0 failures=()

# Adds the numbers of a part that ended with this status, and whose output ends with "N passed, M failed". Of one that
# failed it keeps for the end: the lines with a cross, the failures of a fuzz target, or the last lines.
tally() {
    local status=$1 output=$2 line lines
    cat "$output"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$output" | tail -n 1 || true)
    if [ -n "$line" ]; then
        passed=$((passed + $(sed -E 's/^([0-9]+) passed.*/\1/' <<<"$line")))
        failed=$((failed + $(sed -E 's/.*, ([0-9]+) failed$/\1/' <<<"$line")))
    fi
    if [ "$status" -ne 0 ] && { [ -z "$line" ] || [[ "$line" == *", 0 failed" ]]; }; then
        failed=$((failed + 1))
    fi
    [ "$status" -ne 0 ] || [[ "$line" != *", 0 failed" ]] || return 0
    lines=$(grep -E '^✘' "$output" | grep -v '^✘ Test run with' | head -n 20 || true)
    lines=${lines:-$(grep -E -A 4 '^(failed|skipped) |: FAILED$|^[A-Za-z.]+(Error|Disappointment): ' "$output" \
        | cut -c 1-300 || true)}
    failures+=("In: $part" "${lines:-$(tail -n 5 "$output")}")
}

# Runs a command that ends with "N passed, M failed", and adds its numbers.
counted() {
    local status=0
    "$@" >"$work/output" 2>&1 || status=$?
    tally "$status" "$work/output"
}

part "examples"
counted Scripts/examples.sh

# The release build, because optimized code is not covered by a debug build, and then the kernels: they run the tool as
# shipped in half the time of the debug build, and Examples' programs. The compiler waits for one module after the other,
# the emulators for longer than they compute: this runs beside the other parts, with copies of the programs.
shipped() {
    set -e
    Scripts/release.sh
    touch "$work/released"
    ANCS_KERNEL_BINARY=.build/ancs exec Tests/Kernel/run.sh --suite bookworm --suite trixie
}
shipped >"$work/kernels" 2>&1 &
kernels=$!
# Waits for the release build; ends this script where it failed.
released() {
    until [ -e "$work/released" ]; do
        kill -0 "$kernels" 2>/dev/null || [ -e "$work/released" ] || { cat "$work/kernels" && exit 1; }
        sleep 1
    done
}

part "the documentation"
Scripts/docs.sh >/dev/null
part "the core as Embedded Swift"
Scripts/embedded.sh
part "unit tests"
counted Scripts/units.sh
# The firmware is compiled on one core and then mostly waits: the fuzz targets are compiled beside it.
FUZZ_QUICK=1 nice Scripts/fuzz.sh build >"$work/fuzzer" 2>&1 &
fuzzer=$!
part "the firmware on an emulated Cortex-M4"
counted Scripts/firmware.sh test
part "a session on an emulated Cortex-M0"
counted Scripts/microbit.sh
part "the rest of the tool in release"
released
part "units of systemd"
counted Scripts/check-units.sh
part "the package"
counted Scripts/check-package.sh
part "what a build consists of"
counted Scripts/check-build.sh
part "simulation"
counted env SEEDS=1-60 CONFIGURATION=debug Scripts/simulate.sh
part "simulation at bluetoothd"
counted env WORLD=bluetoothd SEEDS=1-1000 CONFIGURATION=debug Scripts/simulate.sh
part "fuzzing, 5 s a target"
# What it could not compile is said again, and counts.
wait "$fuzzer" || true
fuzzer=
# A fixed seed gives the same result everywhere; `make fuzz` searches for new failures.
counted env FUZZ_QUICK=1 FUZZ_SECONDS=5 FUZZ_SEED=1 Scripts/fuzz.sh
part "interop with Bumble's host, all at our controllers"
counted .venv/bin/python Tests/Interop/run.py
part "interop with Bumble's host and Bumble's controllers"
counted env ANCS_INTEROP_CONTROLLERS=bumble .venv/bin/python Tests/Interop/run.py -k test_p
part "interop at controllers that mix up events and data, as on USB"
counted env ANCS_INTEROP_ORDER=usb .venv/bin/python Tests/Interop/run.py \
    -k 'test_pairing.*' -k 'test_faults_*_over_the_air'
part "the rest of the kernels and bluetoothds of Debian 12 and 13, in emulators"
status=0
wait "$kernels" || status=$?
kernels=
tally "$status" "$work/kernels"

part ""
printf '%s\n' "${took[@]}"
if [ "$failed" -gt 0 ]; then printf '%s\n' "${failures[@]}"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
