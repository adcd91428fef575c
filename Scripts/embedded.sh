#!/usr/bin/env bash
# Builds the core as Embedded Swift for a Cortex-M4; only the real build finds what Embedded lacks. Generic code is
# compiled where it is used, so Tests/1-Core/Embedded uses it.
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

for target in AMS ANCS ANCSProvider EmbeddedUse; do
    swift build --target "$target" --triple armv7em-none-none-eabi -c release \
        --scratch-path .build-embedded \
        -Xswiftc -enable-experimental-feature -Xswiftc Embedded -Xswiftc -wmo
done
