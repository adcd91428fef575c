#!/usr/bin/env bash
# Measures what the machines of the core cost on a microcontroller, and writes Documentation/Development/Size.md.
#   size.sh [FILE]    the page; `-` prints it
# Each driver of Tests/1-Core/Embedded is linked alone, with everything that it reaches: -Osize, a section for each
# function and datum, the linker's garbage collection and folding of identical code. What the platform supplies
# (memory, division, and Swift's Unicode tables) is not counted.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/embedded-swift.sh

page=${1:-Documentation/Development/Size.md}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

machines=(
    "driveCodec|A value of the Notification Source, an answer and a command"
    "driveConsumerSession makeConsumerSession|\`ConsumerSession\`, with the codec"
    "driveNotificationFeed makeNotificationFeed|\`NotificationFeed\`, with the session"
    "driveH4Framer|\`H4Framer\`"
    "driveHost makeHost|\`Host\`"
    "driveHost makeHost driveNotificationFeed makeNotificationFeed driveH4Framer|The whole accessory: \`Host\`, \`NotificationFeed\`, \`H4Framer\`"
)

# Compiles the modules for a processor, each to its object file in a folder of its own.
compile() {
    local triple=$1 processor=$2 folder=$3 module
    mkdir -p "$folder"
    for module in Octets ANCS BluetoothTypes BluetoothLE; do
        embedded_module "$triple" "$processor" "$folder" "$module" Sources/*/"$module"
    done
    embedded_module "$triple" "$processor" "$folder" EmbeddedUse \
        Tests/1-Core/Embedded/Drivers.swift Tests/1-Core/Embedded/NoCryptography.swift
}

# Links the code that some functions of Tests/1-Core/Embedded reach.
link() {
    local folder=$1 program=$2 roots=() name symbol
    shift 2
    for name in "$@"; do
        symbol=$(llvm-nm --defined-only "$folder/EmbeddedUse.o" | awk '$2 == "T" { print $3 }' \
            | grep "EmbeddedUse${#name}$name")
        roots+=(-u "$symbol")
    done
    ld.lld --gc-sections --icf=all --unresolved-symbols=ignore-all -e 0 "${roots[@]}" -o "$program" \
        "$folder"/*.o 2>/dev/null
}

# The size in octets of the sections of a program whose names begin with one of these.
octets() {
    llvm-size -A "$1" | awk -v names="$2" '$1 ~ "^(" names ")" { sum += $2 } END { print sum + 0 }'
}

grouped() { sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta' <<<"$1"; }

compile armv7em-none-none-eabi cortex-m4 "$work/armv7em"
compile armv6m-none-none-eabi cortex-m0 "$work/armv6m"

{
    echo "# Size on a microcontroller"
    echo
    echo "\`Scripts/size.sh\` measured this with Swift $(swiftc --version 2>&1 | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p' | head -n 1): \`-Osize\`, a section for each function and each datum (\`Scripts/embedded-swift.sh\` has the options), the linker's garbage collection, and one copy of identical code. Sizes are in octets. Each row is linked alone and includes everything that it reaches, also in the standard library, but not memory management, 64-bit division and Unicode tables, which the platform supplies."
    echo
    echo "| machine | Cortex-M4: text | constants and data | Cortex-M0: text | constants and data |"
    echo "|---|---:|---:|---:|---:|"
    for machine in "${machines[@]}"; do
        row="| ${machine#*|} |"
        for processor in armv7em armv6m; do
            program=$work/$processor.elf
            # shellcheck disable=SC2086
            link "$work/$processor" "$program" ${machine%%|*}
            row+=" $(grouped "$(octets "$program" '\\.text')") |"
            row+=" $(grouped "$(octets "$program" '\\.(rodata|data|bss)')") |"
        done
        echo "$row"
    done

    for machine in "${machines[1]}" "${machines[5]}"; do
        echo
        name=${machine#*|}
        echo "## The twenty largest symbols of ${name/#The/the}"
        echo
        echo "| octets | symbol |"
        echo "|---:|---|"
        # shellcheck disable=SC2086
        link "$work/armv7em" "$work/largest.elf" ${machine%%|*}
        llvm-nm --print-size --size-sort --reverse-sort --radix=d "$work/largest.elf" \
            | awk 'NR <= 20 { print $2, $4 }' | swift demangle --simplified \
            | sed -E 's/^0*([0-9]+) (.*)$/| \1 | `\2` |/'
    done
} >"$work/page.md"

if [ "$page" = - ]; then cat "$work/page.md"; else cp "$work/page.md" "$page"; fi
