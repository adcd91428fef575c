#!/usr/bin/env bash
# Processor time that a value of a sensor takes, with the events of a CentralManager, on its loop or in any task, and with
# Core Bluetooth's delegates: the shortest of five runs each, which take turns.
#   run.sh delegate-benchmark ancs
set -euo pipefail

program=$1 ancs=$2
work=$(mktemp -d)
background=()
trap 'for pid in "${background[@]}"; do kill "$pid" 2>/dev/null || true; done; rm -rf "$work"' EXIT

# Prints the processor time of a program that receives so many values with events or delegates.
measure() {
    "$ancs" controllers --immediate --listen="unix-server:$work/sensor" --listen="unix-server:$work/program" \
        >"$work/ready" 2>/dev/null &
    local controllers=$! sensor
    until grep -q READY "$work/ready"; do kill -0 "$controllers" && sleep 0.1; done
    "$program" send "unix:$work/sensor" "$2" &
    sensor=$!
    background=("$controllers" "$sensor")
    XDG_STATE_HOME=$work "$program" "$1" "unix:$work/program" "$2"
    kill "$sensor" "$controllers"
    wait "$sensor" "$controllers" 2>/dev/null || true
    background=()
}

# What a value takes: start, discovery and subscription are the same for few and for many.
few=500 many=3000
for _ in 1 2 3 4 5; do
    for mode in events tasks delegates; do
        for count in $few $many; do measure $mode $count >>"$work/$mode.$count"; done
    done
done
each() {
    local shortest
    shortest=$(sort -n "$work/$1.$few" | head -n 1)
    sort -n "$work/$1.$many" | awk -v few="$shortest" "NR == 1 { printf \"%.2f\", (\$1 - few) / ($many - $few) }"
}
echo "events on the loop, µs for a value     $(each events)"
echo "events in another task                 $(each tasks)"
echo "delegates                              $(each delegates)"
