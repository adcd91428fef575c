#!/usr/bin/env bash
# Looks at reports of `ancs bench --report` in headless Chromium without a network: of an accessory that passes, of one
# that breaks many requirements on a bad radio, and of several runs. Fails if a page complains, loads something, is
# wider than the window, leads nowhere, or has texts that cannot be read; then if it does not find such faults where
# they are.
#   check-report.sh [FOLDER]   keeps the reports, pictures of them and PDF in FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
export ANCS_ONLY=all

Scripts/setup.sh report
swift build --product ancs 2>&1 | grep -E 'error:|warning:' >&2 || true
ancs=$(swift build --show-bin-path)/ancs
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"

# Runs a bench whose report is looked at whether it passes or not: report NAME WORD…
report() {
    local name=$1
    shift
    "$ancs" bench --seed 7 --report "$folder/$name.html" "$@" >/dev/null 2>&1 || true
}
desk=("$ancs" receive --state '{dir}' --name 'Desk <&> "1"' --hci 'unix:{unix}')
report good Scenarios/text.json -- "${desk[@]}"
report many --repeat 2 Scenarios/call-answered.json Scenarios/faults/no-consent.json -- "${desk[@]}"
# One link, and then no more: a run that fails, with broken requirements, losses and fades.
report bad --loss 0.05 --fade 900,8000 --limit 40 Scenarios/conformance.json -- \
    sh -c "$ancs receive --count 1 --state {dir} --hci unix:{unix}; echo '</pre><script>'; sleep 30"
report missing --wait 1 Scenarios/text.json -- sh -c 'sleep 9 # {tcp}'
python3 Tests/Report/look.py --planted --pictures "$folder" \
    "$folder"/{good,many,bad,missing}.html
