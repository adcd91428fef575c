#!/usr/bin/env bash
# Simulates phones and accessories in virtual time, one run for each seed, on all cores:
#     make simulate SEEDS=1-1000          fails if a rule is broken, and prints how to repeat it
#     make simulate SEEDS=17 SNOOP=DIR    one seed, with a capture of every device and the log
#     make simulate WORLD=bluetoothd      an accessory that uses a faulty bluetoothd
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

seeds=${SEEDS:-1-200}
first=${seeds%-*} last=${seeds#*-}
[[ "$first" =~ ^[0-9]+$ && "$last" =~ ^[0-9]+$ && "$first" -le "$last" ]] || {
    echo "SEEDS is a number or two with a '-' between them, not '$seeds'" >&2
    exit 2
}

world=${WORLD:-radio}
case "$world" in
    radio) replay="make simulate" ;;
    bluetoothd) replay="make simulate WORLD=bluetoothd" ;;
    *)
        echo "WORLD is radio or bluetoothd, not '$world'" >&2
        exit 2
        ;;
esac

Scripts/setup.sh build
configuration=${CONFIGURATION:-release}
swift build -c "$configuration" --product simulation >&2
program=$(swift build -c "$configuration" --show-bin-path)/simulation
# Dictionaries have the same order in each run.
export SWIFT_DETERMINISTIC_HASHING=1 SWIFT_BACKTRACE=enable=no

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

if [ -n "${SNOOP:-}" ]; then
    mkdir -p "$SNOOP"
    "$program" "$world" "$seeds" "$directory" "$SNOOP"
    exit
fi

parts=$(nproc)
count=$((last - first + 1))
[ "$parts" -le "$count" ] || parts=$count
for ((part = 0; part < parts; part++)); do
    from=$((first + count * part / parts)) to=$((first + count * (part + 1) / parts - 1))
    mkdir "$directory/bonds-$part"
    "$program" "$world" "$from-$to" "$directory/bonds-$part" >"$directory/$part" 2>"$directory/$part.seed" &
    pids[part]=$!
done

status=0 passed=0 failed=0
for ((part = 0; part < parts; part++)); do
    code=0
    wait "${pids[part]}" || code=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$directory/$part" || true)
    grep -vE '^[0-9]+ passed, [0-9]+ failed$' "$directory/$part" || true
    if [ -z "$line" ]; then
        # A trap or an endless loop prevents the closing line.
        seed=$(tr '\r' '\n' <"$directory/$part.seed" | grep -oE '^seed [0-9]+' | tail -n 1)
        echo "$seed: ended with status $code: replay with '$replay SEEDS=${seed#seed } SNOOP=DIRECTORY'"
        tr '\r' '\n' <"$directory/$part.seed" | grep -vE '^(seed [0-9]+)? *$' | tail -n 5 || true
        line="0 passed, 1 failed"
    fi
    passed=$((passed + ${line%% *}))
    failed=$((failed + $(sed -E 's/.*, ([0-9]+) failed/\1/' <<<"$line")))
    [ "$code" -eq 0 ] || status=1
done
echo "$passed passed, $failed failed"
exit "$status"
