#!/usr/bin/env bash
# A session of `ANCS` alone on a Cortex-M0 with 16 KB of RAM: compiles Examples/Microbit and runs it in QEMU's
# microbit, with a recorded phone. Ends with a line that counts the cases.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/embedded-swift.sh

build=$PWD/.build-microbit
example=Examples/Microbit
# The heap, the C library and the exit are shared with the other board.
shared=Examples/Firmware/Board
target=armv6m-none-none-eabi

Scripts/setup.sh firmware
mkdir -p "$build"

module() {
    embedded_module "$target" cortex-m0 "$build" "$@" -- -Xcc "-fmodule-map-file=$shared/module.modulemap"
}

module Octets Sources/1-Core/Octets
module ANCS Sources/1-Core/ANCS
module Microbit "$example/Sources"
objects=("$build"/{Microbit,ANCS,Octets}.o)
for file in "$shared"/{heap,runtime,semihosting}.c "$example"/Board/*.c; do
    objects+=("$build/$(basename "$file").o")
    clang --target="$target" -mcpu=cortex-m0 -Os -ffreestanding -ffunction-sections -fdata-sections \
        -fno-unwind-tables -Wall -Wextra -Werror -I "$shared" -c "$file" -o "${objects[-1]}"
done
ld.lld --gc-sections --icf=all -T "$example/Board/microbit.ld" "${objects[@]}" \
    "$(arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -print-libgcc-file-name)" -o "$build/microbit.elf"
llvm-size "$build/microbit.elf"

passed=0 failed=0
case_ended() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1)) && echo "passed: $2"
    else
        failed=$((failed + 1)) && echo "failed: $2"
    fi
}

# The program checks each command that it writes, and ends with a status.
status=0
timeout 60 qemu-system-arm -M microbit -display none -monitor none -serial stdio \
    -semihosting-config enable=on,target=native -kernel "$build/microbit.elf" </dev/null || status=$?
case_ended "$status" "a recorded session and four hostile phones on a Cortex-M0"

# Either of the two would be larger than the session.
status=0
if llvm-nm "$build/microbit.elf" | swift demangle --simplified | grep -E 'Hasher|Dictionary<|_swift_stdlib_[a-z]*(Case|Normal|Grapheme)'; then
    status=1
fi
case_ended "$status" "no hashing and no tables of Unicode are linked"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
