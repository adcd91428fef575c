#!/usr/bin/env bash
# Builds the tool that is shipped: .build/ancs, with Swift's runtime in it and without symbols. The same sources give
# the same octets, wherever they are.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build >&2

scratch=.build-release
# The paths of this machine become relative. Immediate binding is what Debian builds with (hardening=bindnow).
flags=(-c release --product ancs --scratch-path "$scratch" --static-swift-stdlib
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic)
swift build "${flags[@]}" >&2
mkdir -p .build
strip --strip-all --remove-section=.comment --remove-section=.note -o .build/ancs.new \
    "$(swift build "${flags[@]}" --show-bin-path)/ancs"
mv .build/ancs.new .build/ancs
ls -l .build/ancs >&2
