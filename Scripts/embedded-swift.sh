# To be sourced by other scripts: Embedded Swift, compiled for size.
# shellcheck shell=bash

# Compiles a module of a folder's Swift files: embedded_module TRIPLE CPU BUILD NAME FOLDER... [-- OPTION...]
# Swift can put each function into a section of its own, but not data, so a linker keeps all metadata of a module and
# what they refer to: hashing, tables of Unicode. Clang can, and compiles Swift's intermediate code. Both inline only
# functions that are smaller than their call; traps share an instruction; no loop begins with a copy of its condition.
embedded_module() {
    local triple=$1 processor=$2 build=$3 name=$4 folders=() files=()
    shift 4
    while [ $# -gt 0 ] && [ "$1" != -- ]; do folders+=("$1") && shift; done
    [ $# -eq 0 ] || shift
    mapfile -t files < <(find "${folders[@]}" -name '*.swift' | sort)
    swiftc -target "$triple" -enable-experimental-feature Embedded -wmo -Osize -parse-as-library \
        -swift-version 6 -package-name core \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InferIsolatedConformances \
        -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -Xfrontend -function-sections -Xfrontend -disable-stack-protector -Xfrontend -mergeable-traps \
        -Xllvm -inline-threshold=-20 -Xllvm -sil-disable-pass=loop-rotate "$@" \
        -I "$build" -module-name "$name" \
        -emit-module -emit-module-path "$build/$name.swiftmodule" -emit-ir -o "$build/$name.ll" "${files[@]}"
    # The triple in the code must be that of the command.
    clang --target="$triple" -mcpu="$processor" -Oz -mllvm -inline-threshold=-20 -ffunction-sections -fdata-sections \
        -Wno-override-module -c -x ir "$build/$name.ll" -o "$build/$name.o"
}
