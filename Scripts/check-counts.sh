#!/usr/bin/env bash
# Fails if a notification, a command or a decoded value takes more instructions or system calls than
# Benchmarks/Counts/counts.json says, by more than 3 %.
#   check-counts.sh            counts and compares
#   check-counts.sh --record   counts and records
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

Scripts/setup.sh counts
for product in ancs load codec-benchmark; do
    swift build -c release --product "$product" 2>&1 | grep -E 'error:|warning:|^Build of' >&2
done
/usr/bin/python3 Benchmarks/Counts/counts.py --binaries "$(swift build -c release --show-bin-path)" "${1:---check}"
