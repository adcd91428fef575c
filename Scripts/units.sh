#!/usr/bin/env bash
# Runs unit tests that have been built, prints what did not pass, and ends with a line that counts the tests.
#   units.sh [OPTION]…   options of `swift test`, such as --filter SUITE
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
swift test --disable-xctest --skip-build "$@" >"$log" 2>&1 || status=$?
grep -vE '^(◇|✔|↳|\[)' "$log" || true
total=$(sed -nE 's/.*Test run with ([0-9]+) tests?.*/\1/p' "$log" | tail -n 1)
if [ "$status" -eq 0 ] && [ "${total:-0}" -gt 0 ]; then
    echo "$total passed, 0 failed"
    exit
fi
# A crash ends the run before its closing line, and is one failure at least; a run without tests is one too.
failed=$(grep -E '^✘ Test .* failed after' "$log" | grep -cv '^✘ Test run with' || true)
echo "$(grep -E '^✔ Test .* passed after' "$log" | grep -cv '^✔ Test run with' || true) passed," \
    "$((failed > 0 ? failed : 1)) failed"
exit 1
