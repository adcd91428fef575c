#!/usr/bin/env bash
# Fails if a notification, a command or a decoded value takes more instructions or calls than Benchmarks/Counts/counts.json
# says, by more than 3 %, in the programs as shipped.
#   check-counts.sh            counts and compares
#   check-counts.sh --record   counts and records
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

Scripts/setup.sh counts
for product in load codec-benchmark ancs; do
    Scripts/release.sh "$product" 2>&1 | grep -E 'error:|warning:|^Build of' >&2
done
/usr/bin/python3 Benchmarks/Counts/counts.py "${1:---check}"
