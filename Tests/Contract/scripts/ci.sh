#!/bin/sh
# A job of continuous integration: the accessory $1 at a virtual controller, and the rules that it breaks.
set -eu
folder=$(mktemp -d)
started=
trap 'kill $started || true; rm -rf "$folder"' EXIT
here=$(dirname "$0")
ancs controllers --listen "unix-server:$folder/accessory" --listen "unix-server:$folder/phone" >"$folder/ready" &
started=$!
until grep -q READY "$folder/ready"; do sleep 0.1; done
"$@" "unix:$folder/accessory" >/dev/null 2>"$folder/accessory.log" &
started="$started $!"
status=0
ancs phone --hci "unix:$folder/phone" --scenario "$here/scenario.json" --json --junit "$folder/report.xml" \
    >"$folder/lines" || status=$?
grep '"event":"rule"' "$folder/lines" | grep '"result":"failed"' \
    | sed -E 's/.*"rule":"([A-Z0-9]+)".*/broken \1/' || true
grep '"event":"rule"' "$folder/lines" | grep -c '"result":"passed"' | sed 's/^/passed /'
sed -nE 's/.*"event":"result".*"failedRules":([0-9]+).*/failed \1/p' "$folder/lines"
grep -q '<testsuite' "$folder/report.xml"
exit $status
