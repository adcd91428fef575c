#!/usr/bin/env bash
# Runs unit tests that have been built, prints failures, and ends with a line that counts the tests.
#   units.sh [SUITE]   all of them, or those of suites with SUITE in their name; UNITS_JOBS=1 at a time
# Each target runs in a process of its own, one process for each core, and its tests run one after the other. Swift
# Testing would start thousands at once: each would wait minutes for its turn, and time limits of buses and programs
# would expire meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$(swift build --show-bin-path)/swift-ancsPackageTests.xctest
suite=${1:-}
[ -x "$program" ] || { echo "build first: swift build --build-tests" >&2 && exit 2; }
"$program" --testing-library swift-testing --list-tests >"$work/all"
grep -E "^[^/]*$suite" "$work/all" >"$work/tests" || { echo "no suite has '$suite' in its name" >&2 && exit 2; }

# Runs the tests of a target, and writes how many passed and failed.
run() {
    local target=$1 status=0 began=$SECONDS log=$work/$1.log expected ran passed failed=0
    expected=$(grep -c "^$target\." "$work/tests")
    "$program" --testing-library swift-testing --no-parallel --filter "^(?=$target\.)[^/]*$suite" >"$log" 2>&1 || status=$?
    ran=$(sed -nE 's/.*Test run with ([0-9]+) tests?.*/\1/p' "$log" | tail -n 1)
    if [ "$status" -eq 0 ] && [ "${ran:-0}" -eq "$expected" ]; then
        passed=$ran
    else
        # A crash ends a run before its closing line, and counts as at least one failure; so do tests that did not run.
        passed=$(grep -E '^✔ Test .* passed after' "$log" | grep -cvE '^✔ Test (run|case)' || true)
        failed=$(grep -E '^✘ Test .* failed after' "$log" | grep -cvE '^✘ Test (run|case)' || true)
        failed=$((failed > 0 ? failed : 1))
        grep -vE '^(◇|✔|↳)' "$log" || true
        [ "${ran:-0}" -eq "$expected" ] \
            || echo "✘ Test process of $target ended with status $status, after: $(grep '^◇ Test' "$log" | tail -n 1)"
    fi
    echo "$target: ${ran:-$passed} of $expected tests, $((SECONDS - began)) s"
    echo "$passed $failed" >"$work/$target.count"
}
export -f run
export work program suite NO_COLOR=1

# Targets with the most tests first.
cut -d . -f 1 "$work/tests" | sort | uniq -c | sort -rn | awk '{ print $2 }' \
    | xargs -P "${UNITS_JOBS:-$(nproc)}" -I{} bash -c 'set -euo pipefail; run {}'
cat "$work"/*.count | awk '{ passed += $1; failed += $2 } END { print passed " passed, " failed " failed"; exit failed > 0 }'
