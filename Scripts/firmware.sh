#!/usr/bin/env bash
# The accessory of Examples/Firmware on a Cortex-M4, in QEMU.
#   firmware.sh build              compiles and links .build-firmware/firmware.elf
#   firmware.sh size [--page FILE] the same, and prints its size, or writes that into a page
#   firmware.sh run [SCENARIO]     the same, and runs it with a virtual iPhone
#   firmware.sh test [--all] [-k PATTERN]   the same, and grades it; ends with a line that counts the cases
# BearSSL, the cryptography, is Debian's source package; it is downloaded once (500 KB).
set -euo pipefail
cd "$(dirname "$0")/.."

build=$PWD/.build-firmware
source=Examples/Firmware
target=armv7em-none-none-eabi
bearssl=bearssl-0.6
bearssl_archive=bearssl_0.6+dfsg.1.orig.tar.xz
bearssl_checksum=102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004

give_up() {
    echo "$*" >&2
    exit 1
}

# Our own list of Debian's sources: most machines list none, and it needs no privileges.
fetch_bearssl() {
    [ -d "$build/$bearssl" ] && return
    local work
    work=$(mktemp -d "$build/new.XXXXXX")
    mkdir -p "$work"/{lists,cache}
    echo "deb-src http://deb.debian.org/debian bookworm main" >"$work/sources.list"
    local options=(
        -o "Dir::Etc::SourceList=$work/sources.list" -o "Dir::Etc::SourceParts=-"
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=")
    echo "Downloading BearSSL's sources" >&2
    apt-get "${options[@]}" update -qq >/dev/null || give_up "apt-get cannot read Debian's list of sources"
    (cd "$work" && apt-get "${options[@]}" source -qq --download-only bearssl >/dev/null) \
        || give_up "apt-get cannot download the sources of bearssl"
    echo "$bearssl_checksum  $work/$bearssl_archive" | sha256sum --check --quiet \
        || give_up "the sources of bearssl are not those that were looked at: see $work"
    mkdir "$work/$bearssl"
    tar -x -f "$work/$bearssl_archive" -C "$work/$bearssl" --strip-components 1
    mv -T "$work/$bearssl" "$build/$bearssl" 2>/dev/null || true
    rm -rf "$work"
}

# MARK: Swift

swift_options=(
    -target "$target" -enable-experimental-feature Embedded -wmo -Osize -parse-as-library -swift-version 6
    -package-name firmware -enable-upcoming-feature ExistentialAny
    -enable-upcoming-feature InferIsolatedConformances -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault
    -Xcc "-fmodule-map-file=$source/Board/module.modulemap"
    -Xcc "-fmodule-map-file=$source/Cryptography/module.modulemap"
    -Xfrontend -disable-stack-protector -Xfrontend -mergeable-traps -lto=llvm-full
    # Functions that are called more than once are not inlined: a tenth less flash, and stack frames half as
    # large. The linker inlines those called once. LLVM likewise: its default inlines each retain, 14 octets
    # instead of the 4 of a call.
    -Xllvm -sil-inline-overall-caller-block-limit=0 -Xllvm -sil-inline-removed-call-benefit=0
    -Xllvm -inline-threshold=-20
    # No loop begins with a copy of its condition.
    -Xllvm -sil-disable-pass=loop-rotate)

# The inputs of the modules so far, part of the stamp of each.
ingredients="${swift_options[*]} $(cat "$source"/Board/board.h "$source"/Cryptography/cryptography.h)"

# Compiles a module from folders and files, unless its inputs are unchanged.
swift_module() {
    local name=$1
    shift
    ingredients=$({ echo "$ingredients" && find "$@" -name '*.swift' -print0 | sort -z | xargs -0 cat; } | sha256sum)
    [ "$(cat "$build/$name.stamp" 2>/dev/null)" != "$ingredients" ] || return 0
    # The compiler keeps an object file whose code is unchanged, even with other options.
    rm -f "$build/$name.o" "$build/$name.stamp"
    find "$@" -name '*.swift' -print0 | sort -z \
        | xargs -0 swiftc "${swift_options[@]}" -I "$build" -module-name "$name" \
            -emit-module -emit-module-path "$build/$name.swiftmodule" -c -o "$build/$name.o"
    echo "$ingredients" >"$build/$name.stamp"
}

# MARK: C

c_options=(
    --target="$target" -mcpu=cortex-m4 -mfloat-abi=soft -Os -ffreestanding -ffunction-sections -fdata-sections
    -fno-unwind-tables -Wall -Wextra -Werror)

# The parts of BearSSL that the Security Manager needs: AES without tables, and P-256.
bearssl_sources=(
    symcipher/aes_ct.c symcipher/aes_ct_enc.c symcipher/aes_ct_cbcenc.c symcipher/aes_common.c
    codec/dec32le.c codec/enc32le.c codec/ccopy.c ec/ec_p256_m31.c ec/ec_secp256r1.c)

compile_c() {
    objects=()
    local file object
    for file in "$source"/Board/*.c "$source"/Cryptography/*.c; do
        object=$build/$(basename "$file").o
        clang "${c_options[@]}" -I "$source/Cryptography/include" -I "$build/$bearssl/inc" -c "$file" -o "$object"
        objects+=("$object")
    done
    for file in "${bearssl_sources[@]}"; do
        [ -f "$build/$bearssl/src/$file" ] || continue
        object=$build/bearssl-$(basename "$file").o
        # Warnings of BearSSL are not ours to fix.
        clang "${c_options[@]}" -w -I "$source/Cryptography/include" -I "$build/$bearssl/inc" \
            -I "$build/$bearssl/src" -c "$build/$bearssl/src/$file" -o "$object"
        objects+=("$object")
    done
}

# MARK: Linking

# The modules come as LLVM's bitcode, so that the linker sees the whole program: a tenth less than without.
# One thread runs Swift, and interrupts run C only, so references are counted without atomic instructions.
# The tables of Unicode, where a comparison of strings is left in the code; divisions and arithmetic of doubles.
link() {
    local tables libgcc
    tables=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/embedded/$target/libswiftUnicodeDataTables.a
    libgcc=$(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -print-libgcc-file-name)
    ld.lld --gc-sections --icf=all --lto-O2 -mllvm -thread-model=single \
        -T "$source/Board/mps2-an386.ld" -Map "$build/firmware.map" \
        "${objects[@]}" "$build"/{Firmware,AMS,ANCS,BluetoothLE,BluetoothTypes,Octets}.o "$tables" "$libgcc" -o "$build/firmware.elf"
}

build() {
    Scripts/setup.sh firmware
    mkdir -p "$build"
    fetch_bearssl
    echo "Compiling the firmware" >&2
    swift_module Octets Sources/1-Core/Octets
    swift_module ANCS Sources/1-Core/ANCS
    swift_module BluetoothTypes Sources/1-Core/BluetoothTypes
    swift_module BluetoothLE Sources/1-Core/BluetoothLE
    swift_module AMS Sources/1-Core/AMS
    swift_module Firmware "$source/Sources" \
        Sources/6-Kit/ANCSKit/Consumer/Host/ProviderLink.swift Sources/6-Kit/ANCSKit/Consumer/Host/ProviderLink+Service.swift
    compile_c
    link
}

case "${1:-run}" in
    build) build ;;
    size)
        build
        python3 "$source/size.py" "$build" "${@:2}"
        ;;
    run)
        build
        Scripts/setup.sh build
        swift build --product ancs >&2
        python3 Tests/Firmware/run.py --show "${2:-Scenarios/demo.json}"
        ;;
    test)
        build
        swift build --product ancs >&2
        python3 Tests/Firmware/run.py "${@:2}"
        ;;
    *) give_up "firmware.sh knows build, size, run and test" ;;
esac
