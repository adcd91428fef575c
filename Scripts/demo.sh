#!/usr/bin/env bash
# A phone and an accessory in one process talk over Bluetooth in software. Options go to `ancs demo`.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
# Standard output belongs to the demo.
swift build --product ancs >&2
exec .build/debug/ancs demo "$@"
