#!/usr/bin/env bash
# Fails when something assumes an x86-64 machine: a name of that architecture in a source, a script or the package,
# a signed C char, a page of 4096 octets, instructions of one processor. First each pattern must find its sample.
set -euo pipefail
cd "$(dirname "$0")/.."

# Files and folders that are about one processor on purpose, and why.
allowed=(
    "Scripts/check-machines.sh:the patterns and their samples"
    "Scripts/setup.sh:the emulator of the kernel suite"
    "Tests/Kernel:a guest with Debian's x86-64 kernel; gives up on other machines"
    "Tests/Interop/test_signals.py:system call numbers, of both"
    "Sources/2-Platform/LinuxIO/CText.swift:the one place that reads C's char"
    "Examples/Firmware:for a Cortex-M4"
    "Examples/Microbit:for a Cortex-M0"
)

# Name, pattern, sample. Extended regular expressions of grep.
checks=(
    "an architecture by name|(^|[^[:alnum:]_])(x86[-_]64|amd64|i[3-6]86)([^[:alnum:]_]|$)|lib/x86_64-linux-gnu"
    "instructions of one processor|__asm__|asm volatile|immintrin\.h|_mm_[a-z]|__builtin_ia32|rdtsc|#if +arch\(|#if(def)? +(defined\()?__(x86|aarch64|arm)|#include <immintrin.h>"
    "a page of 4096 octets|[Pp]age(Size|_size| size)[^0-9]{0,12}4_?096|4_?096[^0-9]{0,12}[Pp]age|let pageSize = 4096"
    "C's char as signed|\[CChar\]|\[Int8\]\(|Pointer<Int8>|\bCSignedChar\b|bitPattern: *(name|text|character)\[|var name = [CChar](repeating: 0, count: 64)"
    "C's char as signed (C)|(^|[^[:alnum:]_])char +[a-z_]+ *= *-[0-9]|= *\(char\) *-|char value = -1;"
    "a word of 64 bits by its name|MemoryLayout<Int>\.size *== *8|sizeof *\(?(long|size_t|void \*)\)? *== *8|MemoryLayout<Int>.size == 8"
)

for check in "${checks[@]}"; do
    name=${check%%|*} rest=${check#*|}
    pattern=${rest%|*} sample=${rest##*|}
    grep -qE -- "$pattern" <<<"$sample" || { echo "the pattern of '$name' does not find '$sample'" >&2 && exit 2; }
done

found=0
mapfile -t files < <(git ls-files -- Sources Simulation Fuzz Benchmarks Tests Examples Scripts Packaging Package.swift Makefile \
    | grep -E '\.(swift|c|cpp|h|py|sh)$|^Packaging/|^Makefile$')
[ "${#files[@]}" -gt 500 ] || { echo "only ${#files[@]} files were found to check" >&2 && exit 2; }
for check in "${checks[@]}"; do
    name=${check%%|*} rest=${check#*|}
    pattern=${rest%|*}
    while IFS= read -r place; do
        [ -n "$place" ] || continue
        file=${place%%:*} isAllowed=
        for entry in "${allowed[@]}"; do
            case $file in "${entry%%:*}" | "${entry%%:*}"/*) isAllowed=1 ;; esac
        done
        [ -z "$isAllowed" ] || continue
        echo "$place: $name"
        found=1
    done < <(grep -nE -- "$pattern" "${files[@]}" || true)
done

# A reason for a file that no longer exists is an error.
for entry in "${allowed[@]}"; do
    [ -e "${entry%%:*}" ] || { echo "${entry%%:*} is allowed, and not there" && found=1; }
done
exit "$found"
