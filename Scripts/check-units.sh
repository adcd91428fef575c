#!/usr/bin/env bash
# Fails if systemd rejects a unit of Packaging, if the sandbox of a unit has become weaker, or if another file of Packaging
# is not what its program reads: Scripts/check-packaging.sh. Ends with a line that counts the checks.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Reports the result of a check: check NAME STATUS OUTPUT
check() {
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1: $3"
    fi
}

# The units can be checked without the program installed.
for kind in system user; do
    mkdir -p "$work/$kind"
    sed 's#/usr/bin/ancs#/bin/true#' "Packaging/systemd/$kind/ancs.service" >"$work/$kind/ancs.service"
    status=0
    output=$(XDG_RUNTIME_DIR=$work systemd-analyze "--$kind" verify --man=no "$work/$kind/ancs.service" 2>&1) \
        || status=1
    [ -z "$output" ] || status=1
    check "the unit of the $kind" "$status" "$output"
done

# systemd-analyze counts in tenths: 15 is 1.5.
exposure() {
    local status=0 output
    output=$(systemd-analyze security --offline=true --threshold="$2" "$work/$1/ancs.service" 2>&1) || status=1
    check "the sandbox of the $1's unit" "$status" "$(tail -n 1 <<<"$output"), more than $2 tenths"
}
exposure system 15
# Programs of rules are the user's own, and run in the same sandbox: what would make it 4.0 breaks some of them.
exposure user 75

# The units are valid with a drop-in too.
for drop in system/dongle system/lasting-link user/sandbox; do
    kind=${drop%/*} name=${drop#*/}
    mkdir -p "$work/$name/ancs.service.d"
    cp "$work/$kind/ancs.service" "$work/$name/"
    cp "Packaging/systemd/$drop.conf" "$work/$name/ancs.service.d/"
    status=0
    output=$(XDG_RUNTIME_DIR=$work systemd-analyze "--$kind" verify --man=no "$work/$name/ancs.service" 2>&1) \
        || status=1
    [ -z "$output" ] || status=1
    check "the drop-in $name.conf" "$status" "$output"
done

# systemd-analyze reads no drop-in of a unit that is not installed.
mkdir "$work/sandboxed"
sed '/^\[Install\]/,$d' "$work/user/ancs.service" | cat - Packaging/systemd/user/sandbox.conf \
    >"$work/sandboxed/ancs.service"
exposure sandboxed 40

# It must be the user's unit, and no other, that has bonds asked about: a gateway would fall silent.
status=0
grep -qx 'Environment=ANCS_BONDS=ask' Packaging/systemd/user/ancs.service || status=1
! grep -q ANCS_BONDS Packaging/systemd/system/* || status=1
check "who asks about bonds" "$status" "the user's unit does not, or the system's does"

Scripts/check-packaging.sh >"$work/packaging" 2>&1 || true
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/packaging" | tail -n 1 || true)
grep -vxF "$line" "$work/packaging" || true
line=${line:-0 passed, 1 failed}
passed=$((passed + ${line%% *}))
line=${line#*, }
failed=$((failed + ${line%% *}))

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
