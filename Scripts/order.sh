#!/usr/bin/env bash
# Makes Packaging/order.txt again: which functions of the tool a session calls, and which its start (x86-64). The
# release lays them out in this order. For when `make bench` shows that the tool has grown in memory.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh peers
Scripts/release.sh
clang -O2 -o .build/calls Benchmarks/Order/calls.c
.venv/bin/python Benchmarks/Order/order.py .build-release/release/ancs .build/calls
# The linker's input has changed, which the build does not see.
rm .build-release/release/ancs
Scripts/release.sh
