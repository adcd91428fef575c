#!/usr/bin/env bash
# Fails if a file of Packaging cannot be parsed by the program that reads it, if no such program is known here, or if a
# call to the stopped daemon does not start it, as its D-Bus activation files say. Ends with a line that counts the
# checks. Needs the debug build, or ANCS_BINARY.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/checks.bash

ancs=$(readlink -e "${ANCS_BINARY:-.build/debug/ancs}") || { echo "build first: swift build" >&2 && exit 2; }
bus_name=org.swift_ancs.ANCS1
# The system's service file has a user, whom the bus looks up; here he is the one who runs this.
user=$(id -un)

# Parses a file with its own program. What the bus reads is below, and the units are what check-units.sh looks at.
parse() {
    case $1 in
        */systemd/*.service | */systemd/*/*.conf) grep -qF "$(basename "$1" .conf)" Scripts/check-units.sh ;;
        */dbus-1/*.conf | */dbus-1/*/*.service) ;;
        */sysusers.d/*.conf) ! { systemd-sysusers --dry-run --root="$work" "$PWD/$1" 2>&1 || echo failed; } \
            | grep -iE 'fail|ignoring|unknown|bad' ;;
        *.svg) python3 -c 'import sys, xml.dom.minidom as dom; sys.exit(dom.parse(sys.argv[1]).documentElement.tagName != "svg")' "$1" ;;
        *.desktop) desktop-file-validate "$1" && [ -z "$(desktop-file-validate "$1")" ] ;;
        */config.toml) "$ancs" serve --check --config "$1" ;;
        */debian/changelog) ! dpkg-parsechangelog -l "$1" 2>&1 >/dev/null | grep . ;;
        */debian/p*inst | */debian/p*rm) sh -n "$1" ;;
        # Their commands are run by Scripts/check-ci.sh; the syntax of GitHub has no program of its own here.
        */ci/bench.yml) .venv/bin/python -c 'import sys; sys.exit("\\t" in open(sys.argv[1]).read())' "$1" && grep -q '^jobs:' "$1" ;;
        */ci/Dockerfile) [ "$(grep -c '^FROM ' "$1")" = 2 ] && grep -q '^USER ' "$1" ;;
        # Debian's own programs read them when Scripts/check-package.sh makes the package.
        */debian/control | */debian/copyright) ;;
        *) echo "which program reads this file?" && return 1 ;;
    esac
}

while IFS= read -r file; do check "$file" parse "$file"; done < <(find Packaging -type f | sort)

# Starts a bus of a kind (system, session) with the files that are installed for it. Its address is $address, and its
# process $bus.
start_bus() {
    local kind=$1 folder=services
    [ "$kind" = session ] || folder=system-services
    mkdir -p "$work/$kind/services"
    sed "s/^User=ancs\$/User=$user/" "Packaging/dbus-1/$folder/$bus_name.service" \
        >"$work/$kind/services/$bus_name.service"
    sed "s/\"ancs\"/\"$user\"/" "Packaging/dbus-1/$bus_name.conf" >"$work/$kind/policy.conf"
    cat >"$work/$kind/bus.conf" <<EOF
<busconfig>
  <type>$kind</type>
  <listen>unix:path=$work/$kind/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$work/$kind/services</servicedir>
  <policy context="default"><allow send_destination="*"/><allow own="*"/><allow receive_sender="*"/></policy>
  $([ "$kind" = session ] || echo "<include>$work/$kind/policy.conf</include>")
</busconfig>
EOF
    address=unix:path=$work/$kind/bus
    dbus-daemon --config-file="$work/$kind/bus.conf" --nofork --systemd-activation 2>"$work/$kind/bus.err" &
    bus=$!
    until [ -S "$work/$kind/bus" ] || ! kill -0 "$bus" 2>/dev/null; do sleep 0.1; done
}

# The unit with this name or alias, of a kind (system, user).
unit_of() { grep -lE "^Alias=$2\$" "Packaging/systemd/$1/"*.service; }

# A call to the daemon's name on a private bus starts it, the way systemd does.
starts_by_name() {
    local kind=$1 units=$2 bus='' address='' activator='' caller='' daemon='' unit command status=0
    start_bus "$kind"
    Scripts/activator.py "$address" >"$work/$kind/unit" &
    activator=$!
    dbus-send --bus="$address" --print-reply --reply-timeout=60000 --dest="$bus_name" /org/swift_ancs/ANCS1 \
        org.freedesktop.DBus.ObjectManager.GetManagedObjects >"$work/$kind/reply" 2>&1 &
    caller=$!
    while kill -0 "$activator" 2>/dev/null && kill -0 "$caller" 2>/dev/null; do sleep 0.1; done
    unit=$(cat "$work/$kind/unit")
    if [ -n "$unit" ] && unit=$(unit_of "$units" "$unit"); then
        command=$(sed -n "s#^ExecStart=/usr/bin/ancs#$ancs#p" "$unit")
        # Of the two buses it has one: this machine's own bluetoothd is not touched.
        # shellcheck disable=SC2086 # The words of the command.
        env -i PATH="$PATH" HOME="$work" XDG_RUNTIME_DIR="$work" STATE_DIRECTORY="$work/$kind/state" \
            DBUS_SYSTEM_BUS_ADDRESS=unix:path=/none DBUS_SESSION_BUS_ADDRESS=unix:path=/none \
            "DBUS_${kind^^}_BUS_ADDRESS=$address" $command >"$work/$kind/daemon" 2>&1 &
        daemon=$!
        wait "$caller" || status=$?
    else
        echo "the bus asks systemd for no unit of this project: '$unit'"
        status=1
    fi
    kill ${daemon:+"$daemon"} "$activator" "$caller" "$bus" 2>/dev/null || true
    wait ${daemon:+"$daemon"} "$activator" "$caller" "$bus" 2>/dev/null || true
    cat "$work/$kind/"{reply,bus.err}
    if [ -n "$daemon" ]; then cat "$work/$kind/daemon"; fi
    return "$status"
}

check "a call to the stopped gateway starts it" starts_by_name system system
check "a call to the user's stopped daemon starts it" starts_by_name session user

report_checks
