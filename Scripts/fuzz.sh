#!/usr/bin/env bash
# Fuzzes the targets of Fuzz/Targets with libFuzzer and the address sanitizer:
#     make fuzz                               each target for a minute
#     make fuzz SECONDS=3600 TARGET=consumer  one of them, longer
#     make fuzz TARGET=consumer INPUT=FILE    runs one input, and prints what happens
#     Scripts/fuzz.sh build                   only compiles them
# Documentation/Development/Fuzzing.md says more. With FUZZ_QUICK=1 it builds faster: for debugging, without the
# address sanitizer. With FUZZ_SEED=1 each run begins with the same inputs.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || {
    echo "SECONDS is how long each target is fuzzed, not '$seconds'" >&2
    exit 2
}

Scripts/setup.sh build
if [ -n "${FUZZ_QUICK:-}" ]; then
    build=(--sanitize fuzzer --scratch-path .build-fuzz-quick)
else
    # Like tests, the targets use internal declarations.
    build=(-c release --sanitize fuzzer --sanitize address --scratch-path .build-fuzz
        -Xswiftc -enable-testing)
fi
export ANCS_ONLY=fuzzer
swift build "${build[@]}" --product fuzzer >&2
[ "${1:-}" != build ] || exit 0
fuzzer=$(swift build "${build[@]}" --show-bin-path)/fuzzer
# Swift's backtracer would wait for a process that libFuzzer keeps alive.
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1

declare -A lengths=()
while read -r name length; do lengths[$name]=$length; done < <(FUZZ_TARGET= "$fuzzer")
mapfile -t targets < <(printf '%s\n' "${!lengths[@]}" | sort)
if [ -n "${FUZZ_TARGET:-}" ]; then
    [ -n "${lengths[$FUZZ_TARGET]:-}" ] || {
        echo "TARGET is one of ${targets[*]}, not '$FUZZ_TARGET'" >&2
        exit 2
    }
    targets=("$FUZZ_TARGET")
fi

if [ -n "${FUZZ_INPUT:-}" ]; then
    [ -n "${FUZZ_TARGET:-}" ] || {
        echo "INPUT needs a TARGET: one of ${targets[*]}" >&2
        exit 2
    }
    FUZZ_TRACE=1 "$fuzzer" -timeout=60 "$FUZZ_INPUT"
    exit
fi

# Kept from run to run, outside the repository.
place=.fuzz
pids=()
trap '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true' EXIT

# Fuzzes one target; its output goes to a file.
fuzz() {
    local target=$1 corpora=() options=()
    mkdir -p "$place/corpus/$target" "$place/finds/$target"
    corpora=("$place/corpus/$target" "$place/seeds/$target")
    [ -d "Fuzz/Regressions/$target" ] && corpora+=("Fuzz/Regressions/$target")
    case $target in
        scenario) corpora+=(Scenarios) ;;
        document) corpora+=(Documentation Scenarios) ;;
    esac
    [ -n "${FUZZ_SEED:-}" ] && options+=("-seed=$FUZZ_SEED")
    [ -f "$place/seeds/$target.dict" ] && options+=("-dict=$place/seeds/$target.dict")
    # An input that takes a minute on a busy machine counts as one that never ends.
    FUZZ_TARGET=$target exec "$fuzzer" -max_total_time="$seconds" -max_len="${lengths[$target]}" \
        -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 "${options[@]}" \
        -artifact_prefix="$place/finds/$target/" "${corpora[@]}"
}

passed=0 failed=0
# The result of a target: one line, and for a failure the next command.
report() {
    local target=$1 code=$2 log="$place/$1.log" input
    if [ "$code" -eq 0 ]; then
        passed=$((passed + 1))
        echo "$target: $(sed -nE 's/^stat::number_of_executed_units: *//p' "$log") inputs," \
            "$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | grep -oE '[0-9]+') edges"
        return
    fi
    failed=$((failed + 1))
    input=$(grep -aoE 'Test unit written to .*' "$log" | tail -n 1 | sed 's/Test unit written to //')
    echo "$target: FAILED"
    grep -aE 'Fatal error: |runtime failure|ERROR: ' "$log" | head -n 3 | sed 's/^/    /' || true
    if [ -n "$input" ]; then
        echo "    input:   $input"
        echo "    replay:  make fuzz TARGET=$target INPUT=$input"
        echo "    keep it: Fuzz/Regressions/$target/NAME-OF-THE-FAULT"
    else
        tail -n 5 "$log" | sed 's/^/    /'
    fi
}

rm -rf "$place/seeds"
/usr/bin/env python3 Fuzz/prepare.py "$place/seeds"

# As many at a time as there are cores.
declare -A running=()
next=0
while [ "$next" -lt "${#targets[@]}" ] || [ "${#running[@]}" -gt 0 ]; do
    while [ "$next" -lt "${#targets[@]}" ] && [ "${#running[@]}" -lt "${FUZZ_JOBS:-$(nproc)}" ]; do
        target=${targets[next]}
        (fuzz "$target") >"$place/$target.log" 2>&1 &
        running[$!]=$target
        pids=("${!running[@]}")
        next=$((next + 1))
    done
    code=0 pid=
    wait -n -p pid "${!running[@]}" || code=$?
    report "${running[$pid]}" "$code"
    unset "running[$pid]"
    pids=("${!running[@]}")
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
