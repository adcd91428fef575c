#!/usr/bin/env bash
# The tests of the core and of the machines, one on each core: what to run while you work. They need no device, bus or
# clock. Only what they test is built, with DBus and LinuxIO, on which BlueZ depends. Ends with a line that counts them.
#   quick.sh [SUITE]   all of them, or those with SUITE in their name
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build
export ANCS_ONLY=OctetsTests,JSONTextTests,ANCSTests,BluetoothLETests,VirtualBluetoothTests,BlueZTests
swift build --build-tests
Scripts/units.sh "${1:-}"
