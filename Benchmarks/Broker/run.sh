#!/usr/bin/env bash
# Runs broker-benchmark, the first argument, at a mosquitto of its own on the loopback.
set -euo pipefail

port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
log=$(mktemp)
mosquitto -p "$port" >"$log" 2>&1 &
broker=$!
trap 'kill "$broker" 2>/dev/null; rm -f "$log"' EXIT
until grep -q running "$log"; do
    kill -0 "$broker" || { cat "$log" >&2; exit 1; }
    sleep 0.1
done
"$1" "$port"
