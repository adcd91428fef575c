#!/usr/bin/env bash
# Checks the contents of builds in SwiftPM's plans, and the messages about missing libraries. Ends with a line that
# counts the checks.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
. Scripts/checks.bash

# Prints the modules and programs that SwiftPM would build with tests, one a line, without compiling anything.
#   planned PACKAGE ANCS_ONLY
planned() {
    (cd "$1" && ANCS_ONLY=$2 swift build --build-tests --scratch-path "$work/scratch" --print-manifest-job-graph) \
        | grep -oE '"<[^>"]+\.(module|exe)>"' | sed -E 's/^"<(.+)-[^-]+-[^-]+-linux-gnu-debug\.(.*)>"$/\1.\2/' | sort -u
}

# A package that uses the kit, with a test that uses the test kit.
dependent=$work/dependent
mkdir -p "$dependent/Sources/Desk" "$dependent/Tests/DeskTests"
cat >"$dependent/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "desk",
    dependencies: [.package(name: "swift-ancs", path: "$root")],
    targets: [
        .target(name: "Desk", dependencies: [.product(name: "ANCSKit", package: "swift-ancs")]),
        .testTarget(
            name: "DeskTests",
            dependencies: ["Desk", .product(name: "ANCSTestKit", package: "swift-ancs")]),
    ]
)
SWIFT
echo "import ANCSKit" | tee "$dependent/Sources/Desk/Desk.swift" >"$dependent/Tests/DeskTests/DeskTests.swift"

# Prints the modules that a build of the package with tests compiles, one a line: those that its targets lead to in the
# plan, which also has the other products of this package.
compiled() {
    planned "$dependent" "" >/dev/null || return
    python3 - "$work/scratch/debug.yaml" <<'PYTHON'
import json
import re
import sys

goals, made_from, inputs = [], {}, []
for line in open(sys.argv[1], encoding="utf-8"):
    name, _, value = line.strip().partition(": ")
    if not value.startswith("["):
        continue
    nodes = json.loads(value)
    if name == "inputs":
        inputs = nodes
    elif name == "outputs":
        made_from.update(dict.fromkeys(nodes, inputs))
    elif name in ('"main"', '"test"'):
        goals += nodes
reached = set()
while goals:
    node = goals.pop()
    if node not in reached:
        reached.add(node)
        goals += made_from.get(node, [])
print(*sorted({found.group(1) for node in reached if (found := re.search(r"/([\w-]+)\.build/", node))}), sep="\n")
PYTHON
}

# The libraries of these products with what they depend on, no program, and nothing else; of Debian's libraries the two
# that Documentation/Swift.md asks for.
#   builds PRODUCTS MODULES-IN-C
builds() {
    compiled | grep -vE '^(Desk|desk)' >"$work/planned" || return
    ANCS_ONLY=$1 swift package describe --type json >"$work/described" || return
    python3 -c 'import json, sys; print(*(t["name"] for t in json.load(sys.stdin)["targets"]), sep="\n")' \
        <"$work/described" | sort | diff - <(sort "$work/planned") || return
    [ "$(grep -E '^C' "$work/planned" | sort | xargs)" = "$2" ]
}
check "a package that depends on this one builds the libraries that it uses" \
    builds ANCSKit,ANCSTestKit "CLazy CLinux COpenSSL CSystemd"

# The same package, whose test grades the accessory and reads captures.
sed -i 's/\(dependencies: \["Desk", \)/\1.product(name: "AccessoryConformance", package: "swift-ancs"), \
                .product(name: "ANCSCapture", package: "swift-ancs"), /' "$dependent/Package.swift"
check "a package that grades accessories builds no more than that" \
    builds ANCSKit,ANCSTestKit,AccessoryConformance,ANCSCapture \
    "CLazy CLinux COpenSSL CRequirements CScenarios CSystemd"

# Each door stays light: what compiles for whoever needs no more, in lines with comments and blanks.
#   compiles_at_most LINES TARGET
compiles_at_most() {
    local lines
    lines=$(Scripts/lines.py --closure "$2") || return
    [ "$lines" -le "$1" ] || { echo "$2 needs $lines lines" && return 1; }
}
check "a receiver compiles at most 25,000 lines" compiles_at_most 25000 ANCSReceiver
check "captures compile at most 36,000 lines" compiles_at_most 36000 ANCSCapture
check "the daemon and its commands compile at most 53,300 lines" compiles_at_most 53300 DaemonCommands

house() {
    planned . "" >"$work/house" && [ "$(grep '\.exe$' "$work/house")" = ancs.exe ] \
        && grep -qx ANCSKitTests.module "$work/house"
}
check "an ordinary build links ancs alone" house

workshop() {
    planned . all >"$work/all" || return
    comm -13 "$work/house" "$work/all" | sed 's/\.[a-z]*$//' | sort -u >"$work/workshop"
    # Each of these is a folder or a product that one of our scripts runs.
    sort <<'END' | diff - "$work/workshop"
CReference
EmbeddedUse
FuzzTests
broker-benchmark
call-benchmark
central-app
central-benchmark
central-by-hand
codec-benchmark
delegate-benchmark
fade-benchmark
floor
heart-rate-monitor
heart-rate-relay
load
memory-benchmark
protocol-pipe
scale-benchmark
simulation
END
}
check "ANCS_ONLY=all has the workshop too" workshop

# For a package that depends on this one, the C target that needs a library names it, with the command that installs
# it. `-nostdinc` hides the headers of this machine.
names_command() {
    local message="sudo apt-get install $1\"" file
    file=$(grep -lrF "$message" Sources) || { echo "no source has '$message'" && return 1; }
    ! clang -nostdinc -fsyntax-only "$file" 2>"$work/said" || { echo "$file compiles without it" && return 1; }
    grep -F "$message" "$work/said" || { cat "$work/said" && return 1; }
}
mapfile -t libraries < <(sed -n '/^packages=(/,/)/p' Scripts/setup.sh | grep -oE '(lib[a-z0-9]+|zlib1g)-dev')
[ "${#libraries[@]}" -gt 0 ] || { echo "Scripts/setup.sh installs no library" >&2 && exit 2; }
for library in "${libraries[@]}"; do
    check "without $library, the compiler names it and the command" names_command "$library"
done

# `make` names them too, if it cannot install them.
setup_gives_up() {
    local tools=$work/tools tool
    mkdir "$tools"
    for tool in bash dirname grep id; do ln -s "$(command -v $tool)" "$tools/"; done
    printf '#!/bin/sh\nexit 1\n' | tee "$tools"/{apt-get,dpkg-query} >"$tools/swift"
    chmod +x "$tools"/{apt-get,dpkg-query,swift}
    ! PATH=$tools Scripts/setup.sh build 2>"$work/said" || return 1
    grep -E "^[^:]+: sudo apt-get install .*libssl-dev libsystemd-dev" "$work/said" || { cat "$work/said" && return 1; }
}
check "make names what it cannot install, and the command" setup_gives_up

report_checks
