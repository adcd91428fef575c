#!/usr/bin/env bash
# Builds the tool as shipped, or another program in the same way: .build/ancs, statically linked with Swift's runtime,
# and stripped. The build is reproducible in any folder.
#   release.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh build >&2

product=${1:-ancs}
scratch=.build-release
# The C++ library of Swift's runtime is statically linked too: its symbols are most of what the dynamic linker would
# look up at each start. A folder that contains only the archive makes the linker use it.
mkdir -p $scratch/static
ln -sf "$(clang -print-file-name=libstdc++.a)" $scratch/static/libstdc++.a
flags=(-c release --product "$product" --scratch-path "$scratch" --static-swift-stdlib
    # What `strip` would remove takes a fifteenth of the time to make.
    -debug-info-format none
    # The paths of this machine become relative.
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
    -Xlinker "-L$PWD/$scratch/static" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
    # Without this, generic types are found by their names when they are first used, and for each the runtime searches
    # all conformances of the program.
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
    # Immediate binding is what Debian builds with (hardening=bindnow).
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic
    # LLVM's linker removes unreachable code. GNU's keeps the C++ library's random device, which needs glibc 2.36, and
    # Ubuntu 22.04 has 2.35.
    -Xswiftc -use-ld=lld)
swift build "${flags[@]}" >&2
mkdir -p .build
program=$(swift build "${flags[@]}" --show-bin-path)/$product
strip --strip-all --remove-section=.comment --remove-section=.note -o "$scratch/$product.stripped" "$program"
mv "$scratch/$product.stripped" ".build/$product"
ls -l ".build/$product" >&2
