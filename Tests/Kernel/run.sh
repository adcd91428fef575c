#!/usr/bin/env bash
# Tests the tool on Debian's kernels in an emulator, each with two virtual controllers that hear each other (btvirt),
# and with bluetoothd. Needs no Bluetooth, no KVM and no privileges on this machine.
#
#     Tests/Kernel/run.sh [--suite SUITE]... [CASE...]    all cases, or the named ones; ends with "N passed, M failed"
#
# The suites are Debian's: bookworm (6.1, bluetoothd 5.66), trixie (6.12, 5.82), sid, and bullseye (6.1, 5.55).
# The default is bookworm; several run in parallel. A guest has the files of its suite, this project, and a copy of the
# debug build or of ANCS_KERNEL_BINARY. The cases of the Central need central-app and heart-rate-monitor (ANCS_ONLY=all),
# and heart-rate (Scripts/examples.sh), also of the debug build or of ANCS_KERNEL_APPS.
# ANCS_KERNEL_LOGS=DIRECTORY keeps the output of the programs in the guest, and makes btmon's capture.
# After all cases of a suite, compares the table in Documentation/Development/Bluetoothd.md with the results; ANCS_WRITE_TABLE=1 writes
# it, also after some of them.
# ANCS_KERNEL_SCENARIOS selects the scenarios of every_scenario_at_bluetoothd; the default is all. The suites are kept
# in ${ANCS_KERNEL_CACHE:-.build-kernel}.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cache=${ANCS_KERNEL_CACHE:-$here/../../.build-kernel}
# Not a pass/fail limit: it only stops a guest that hangs, in seconds. The longest case takes 100 on two cores.
limit=${ANCS_KERNEL_LIMIT:-600}

give_up() {
    echo "Tests/Kernel: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

wrong_usage() {
    echo "Tests/Kernel/run.sh: $*" >&2
    exit 2
}

tests=$here
. "$here/cases.sh"

suites=() wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --suite)
            [ $# -gt 1 ] || wrong_usage "--suite needs the name of one of Debian's suites"
            case $2 in
                bookworm | trixie | sid | bullseye) ;;
                *) wrong_usage "the suites are bookworm, trixie, sid and bullseye, not '$2'" ;;
            esac
            suites+=("$2")
            shift
            ;;
        *)
            [[ " ${all[*]} ${by_name[*]} " == *" $1 "* ]] \
                || wrong_usage "there is no case $1; the cases are: ${all[*]} ${by_name[*]}"
            wanted+=("$1")
            ;;
    esac
    shift
done
everything=''
[ ${#wanted[@]} -gt 0 ] || wanted=("${all[@]}") everything=yes

# Several suites are several runs of this script; their outputs are printed one after the other.
if [ ${#suites[@]} -gt 1 ]; then
    logs=$(mktemp -d)
    runs=()
    trap 'kill "${runs[@]}" 2>/dev/null || true; rm -rf "$logs"' EXIT
    for suite in "${suites[@]}"; do
        if [ -n "$everything" ]; then set --; else set -- "${wanted[@]}"; fi
        "$0" --suite "$suite" "$@" >"$logs/$suite" 2>&1 &
        runs+=("$!")
    done
    passed=0 failed=0 status=0
    for number in "${!suites[@]}"; do
        wait "${runs[$number]}" || status=$?
        log=$logs/${suites[$number]}
        grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$log" || true
        line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
        line=${line:-0 passed, 1 failed}
        passed=$((passed + ${line%% *}))
        line=${line#*, }
        failed=$((failed + ${line%% *}))
    done
    echo "$passed passed, $failed failed"
    exit "$status"
fi
suite=${suites[0]:-bookworm}

[ "$(uname -m)" = x86_64 ] || give_up "the guest runs this machine's programs, and is x86-64"
binary=$(readlink -e "${ANCS_KERNEL_BINARY:-$here/../../.build/debug/ancs}") || give_up "build first: swift build"
"$here/prepare.sh" "$cache" "$suite" || give_up "$suite could not be prepared"

work=$(mktemp -d)
guest=''
finish() {
    [ -z "$guest" ] || kill "$guest" 2>/dev/null || true
    keep_logs
    rm -rf "$work"
}
keep_logs() {
    [ -n "${ANCS_KERNEL_LOGS:-}" ] || return 0
    mkdir -p "$ANCS_KERNEL_LOGS/$suite"
    cp -r "$work/." "$ANCS_KERNEL_LOGS/$suite" || true
}
trap finish EXIT
trap 'exit 130' INT TERM

# A copy, so that a build during the run has no effect.
mkdir -p "$work/program/libraries"
cp "$binary" "$work/program/ancs"
# The apps of the Central's cases.
for program in central-app heart-rate heart-rate-monitor; do
    cp "${ANCS_KERNEL_APPS:-$here/../../.build/debug}/$program" "$work/program" \
        || give_up "build first: ANCS_ONLY=all swift build, and Scripts/examples.sh"
done
build_preloaded "$work/program" || give_up "$here/socketpair.c cannot be compiled: is there a C compiler?"
ldd "$binary" "$work/program/heart-rate-monitor" | awk '$3 ~ /swift/ { print $3 }' | sort -u | xargs -r -I{} cp -L {} "$work/program/libraries"
libraries=$(ldd "$binary" "$work/program/heart-rate-monitor" | awk '$3 ~ /swift/ { sub("/[^/]*$", "", $3); print $3; exit }')

passed=0 failed=0 marks=''
# Prints and counts the guest's new reports.
report() {
    local line
    while IFS= read -r line; do
        reported=$((reported + 1))
        case $line in '✔ '* | '✘ '*) marks+="${line% (*}"$'\n' ;; esac
        case $line in
            '✔ '*) passed=$((passed + 1)) done_cases=$((done_cases + 1)) line="✔ $suite: ${line#✔ }" ;;
            '✘ '*) failed=$((failed + 1)) done_cases=$((done_cases + 1)) line="✘ $suite: ${line#✘ }" ;;
            end) ended=yes && continue ;;
        esac
        printf '%s\n' "$line"
    done < <(tail -n "+$((reported + 1))" "$work/results")
}

# Runs a guest until all cases are reported, or until it crashes or a case takes too long.
run_guest() {
    local began=$SECONDS running='' now
    hung=''
    printf 'wanted=%q\ncaptured=%q\nscenarios=%q\nlibraries=%q\n' "$*" "${ANCS_KERNEL_LOGS:+yes}" \
        "${ANCS_KERNEL_SCENARIOS:-}" "${libraries:-/run/none}" >"$work/settings"
    : >"$work/results"
    rm -f "$work/running" "$work/waiting"
    reported=0 done_cases=0 ended=''
    # Addresses stay random, though `norandmaps` would save a third: bluetoothd 5.82 and 5.87 send what is on their stack
    # as the timeout of Discoverable=false, and with the same addresses in each process it is refused for ever.
    # The emulator's clock: on a busy machine the processor's is miscalibrated, and ran 15 times too fast.
    qemu-system-x86_64 -accel tcg -cpu max -m 768 -machine q35,usb=off,vmport=off \
        -nodefaults -no-user-config -no-reboot -display none -serial stdio \
        -kernel "$cache/$suite/vmlinux" -initrd "$cache/$suite/initrd" \
        -append 'console=ttyS0 quiet loglevel=3 panic=-1 tsc=unstable clocksource=hpet no_timer_check cryptomgr.notests mitigations=off' \
        -virtfs "local,path=$cache/$suite/root,mount_tag=machine,security_model=none,readonly=on,multidevs=remap" \
        -virtfs "local,path=$(readlink -f "$here/../.."),mount_tag=project,security_model=none,readonly=on,multidevs=remap" \
        -virtfs "local,path=$work,mount_tag=work,security_model=none" \
        -virtfs "local,path=$work/program,mount_tag=program,security_model=none,readonly=on,multidevs=remap" \
        </dev/null >"$work/console.log" 2>&1 &
    guest=$!
    while kill -0 "$guest" 2>/dev/null; do
        sleep 0.5
        report
        now="$done_cases $(cat "$work/running" 2>/dev/null || true)"
        if [ "$now" != "$running" ]; then running=$now began=$SECONDS; fi
        if [ $((SECONDS - began)) -gt "$limit" ]; then
            hung=yes
            kill "$guest" 2>/dev/null || true
        fi
    done
    wait "$guest" 2>/dev/null || true
    guest=''
    report
}

# A case that hangs or crashes the guest does not affect the others: the next guest runs them. A case in which the guest
# ended of itself, or btvirt did and then nothing more happened, is run a second time: neither is what is tested.
retried=''
while [ ${#wanted[@]} -gt 0 ]; do
    run_guest "${wanted[@]}"
    [ -z "$ended" ] || break
    tail -n 40 "$work"/{console,cases,btvirt}.log "$work"/*.err >&2 2>/dev/null || true
    keep_logs
    lost=${wanted[$done_cases]}
    cause="it hung for $limit s waiting for: $(cat "$work/waiting" 2>/dev/null || true)"
    if [ -z "$hung" ]; then
        cause="not run: the guest ended"
    elif grep -qF "  btvirt ended during $lost," "$work/results"; then
        cause="not run: btvirt ended, and then nothing happened for $limit s"
    fi
    if [[ $cause == 'not run'* ]] && [ "$lost" != "$retried" ] && [ -s "$work/running" ]; then
        echo "  $suite: $lost is run again in a new guest ($cause)"
        retried=$lost
        wanted=("${wanted[@]:$done_cases}")
        continue
    fi
    marks+="✘ $lost"$'\n'
    failed=$((failed + 1))
    [ "$lost" != "$retried" ] || cause+=", twice"
    echo "✘ $suite: $lost ($cause)"
    # If nothing succeeded in a guest, a second attempt is useless.
    if [ "$done_cases" -eq 0 ] && [ ! -s "$work/running" ]; then give_up "the guest of $suite does not start"; fi
    wanted=("${wanted[@]:$((done_cases + 1))}")
done

# The mark of each case, of which one may have run several times; "=" if it did not.
results() {
    local name
    for name in "${all[@]}"; do
        grep -xm 1 "✘ $name" <<<"$marks" || grep -xm 1 "✔ $name" <<<"$marks" || echo "= $name"
    done
}

# Compares the table of results with this run; with ANCS_WRITE_TABLE, updates it.
table_is_current() {
    local page=$here/../../Documentation/Development/Bluetoothd.md lock
    exec {lock}<"$page"
    flock "$lock"
    # shellcheck disable=SC2046 # Two words: the versions of the kernel and of bluetoothd.
    results | "$here/table.sh" "$page" "$suite" $(cat "$work/versions") >"$work/page" || return
    if [ -n "${ANCS_WRITE_TABLE:-}" ]; then cat "$work/page" >"$page"; fi
    cmp -s "$work/page" "$page"
}

# Not a failure: a new kernel version in Debian is not a fault of this project.
if [ -n "$everything${ANCS_WRITE_TABLE:-}" ] && ! table_is_current; then
    echo "note: $suite: the table in Documentation/Development/Bluetoothd.md is not what ran; to write it:"
    echo "    ANCS_WRITE_TABLE=1 Tests/Kernel/run.sh --suite $suite"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
