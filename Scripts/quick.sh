#!/usr/bin/env bash
# Runs the tests of the core and the machines on all processor cores, for use while you work. They need no device, bus
# or clock. Builds only the tested modules, and what they depend on. Ends with a line that counts the tests.
#   quick.sh [SUITE]   all of them, or those with SUITE in their name
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
export ANCS_ONLY=OctetsTests,JSONTextTests,ANCSTests,BluetoothLETests,VirtualBluetoothTests,BlueZTests
swift build --build-tests
Scripts/units.sh "${1:-}"
