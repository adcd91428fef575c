#!/usr/bin/env bash
# Our program on a real Bluetooth kernel: Debian's kernel in an emulator, two controllers in software that
# hear each other (btvirt), bluetoothd. Needs no Bluetooth, no KVM and no privileges on this machine.
#
#     Tests/Kernel/run.sh [CASE...]    all cases, or those named; ends with "N passed, M failed"
#
# The guest runs this machine's files, read-only beneath a layer in its memory, so what was built here runs
# there. ANCS_KERNEL_LOGS=DIRECTORY keeps what the programs in the guest wrote, and btmon's capture. The
# ANCS_KERNEL_BINARY is run in place of the debug build.
# ANCS_KERNEL_SCENARIOS names what every_scenario_at_bluetoothd plays, where that is not everything. The
# kernel is kept in ${ANCS_KERNEL_CACHE:-.build-kernel}.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cache=${ANCS_KERNEL_CACHE:-$here/../../.build-kernel}
# No limit that decides a result: it ends a guest that does not go on. All cases take a minute.
watchdog=${ANCS_KERNEL_WATCHDOG:-900}

give_up() {
    echo "Tests/Kernel: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

[ "$(uname -m)" = x86_64 ] || give_up "the guest runs this machine's programs, and is x86-64"
binary=$(readlink -e "${ANCS_KERNEL_BINARY:-$here/../../.build/debug/ancs}") || give_up "build first: swift build"
"$here/prepare.sh" "$cache" || give_up "the kernel could not be prepared"

work=$(mktemp -d)
guest=''
finish() {
    [ -z "$guest" ] || kill "$guest" 2>/dev/null || true
    if [ -n "${ANCS_KERNEL_LOGS:-}" ]; then
        mkdir -p "$ANCS_KERNEL_LOGS" && cp -r "$work/." "$ANCS_KERNEL_LOGS" || true
    fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

{
    printf 'ancs=%q\n' "$binary"
    printf 'tests=%q\n' "$here"
    printf 'wanted=%q\n' "$*"
    printf 'scenarios=%q\n' "${ANCS_KERNEL_SCENARIOS:-}"
} >"$work/settings"
: >"$work/results"

timeout "$watchdog" qemu-system-x86_64 -accel tcg -cpu max -m 768 -machine q35,usb=off,vmport=off \
    -nodefaults -no-user-config -no-reboot -display none -serial stdio \
    -kernel "$cache/vmlinux" -initrd "$cache/initrd" \
    -append 'console=ttyS0 quiet loglevel=3 panic=-1 tsc=reliable no_timer_check cryptomgr.notests mitigations=off' \
    -virtfs local,path=/,mount_tag=machine,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=$work,mount_tag=work,security_model=none" \
    </dev/null >"$work/console.log" 2>&1 &
guest=$!
tail --pid="$guest" -s 0.2 -n +1 -f "$work/results" &
follower=$!
status=0
wait "$guest" || status=$?
guest=''
wait "$follower" || true

line=$(tail -n 1 "$work/results")
if ! [[ $line =~ ^[0-9]+\ passed,\ [0-9]+\ failed$ ]]; then
    tail -n 40 "$work"/{console,cases,btvirt}.log "$work"/*.err >&2 || true
    give_up "the guest ended in $(cat "$work/running" 2>/dev/null || echo "its start"), status $status"
fi
[[ $line == *", 0 failed" && $line != "0 passed"* ]]
