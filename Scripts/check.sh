#!/usr/bin/env bash
# The slower checks on top of Scripts/test.sh; stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

echo "== instructions and system calls"
Scripts/check-counts.sh
echo "== reports in a browser"
Scripts/check-report.sh
echo "== tests in release"
swift test --disable-xctest --no-parallel -c release -Xswiftc -enable-testing --scratch-path .build-release-tests
echo "== tests under the thread sanitizer"
swift test --disable-xctest --no-parallel --sanitize thread --scratch-path .build-tsan
echo "== fuzzing, 2 minutes a target"
FUZZ_SECONDS=120 Scripts/fuzz.sh
echo "== the firmware: the flood, all faults, power failures"
Scripts/firmware.sh test --all
echo "== the package in bare systems"
Scripts/check-package.sh bookworm trixie noble
echo "== the workflow of Packaging/ci in a bare system"
Scripts/check-ci.sh
echo "== the kernel and bluetoothd of Debian sid, and bluetoothd of Debian 11, in emulators"
Tests/Kernel/run.sh --suite sid --suite bullseye
