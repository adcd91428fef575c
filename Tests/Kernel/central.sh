# The cases of Core Bluetooth's Central at bluetoothd, sourced by cases.sh: apps that run as a user without privileges at
# hci0, a heart-rate sensor and a keyboard of another stack (devices.py), and controllers of ours, which carry several
# links at once and are heard again and again, unlike btvirt's. They start once for all of these cases.

central=(central_finds_reads_and_writes central_pairs_by_itself central_of_two_apps central_survives_kill
    central_unbinds central_beside_a_keyboard central_when_bluetoothd_restarts central_switched_off
    central_pairs_with_digits central_of_a_mac)

pulse=C4:00:00:00:00:01
keyboard=C4:00:00:00:00:02
# Attributes of the sensor: a long value, two that are written, one that is indicated, one that is protected.
long=0A1B2C3D-0000-4000-8000-00000000CC01
request=0A1B2C3D-0000-4000-8000-00000000CC02
command=0A1B2C3D-0000-4000-8000-00000000CC03
indicated=0A1B2C3D-0000-4000-8000-00000000CC04
protected=0A1B2C3D-0000-4000-8000-00000000CC05
grown=0A1B2C3D-0000-4000-8000-00000000CC10

# Our controllers, where they run.
air=''

# Replaces btvirt, also as what the guest watches. The kernel gives up a controller that does not answer within 2 s: as
# in `plug_in`, it is made again, five times at most.
plug_in_devices() {
    local ports=() port attempt=${1:-1} waits=0
    dmesg --read-clear >>dmesg.log
    if [ -n "${btvirt:-}" ]; then unplug; fi
    for port in 9000 9001 9002; do ports+=(--listen "tcp-server:127.0.0.1:$port"); done
    : >air.out
    : >devices.out
    "$ancs" controllers "${ports[@]}" >air.out 2>air.err &
    air=$!
    mkfifo /run/ancs/devices 2>/dev/null
    exec 7<>/run/ancs/devices
    while_runs air "$air" has_text air.out READY || return
    python3 "$tests/devices.py" 9000 9001 9002 <&7 >devices.out 2>devices.err &
    btvirt=$!
    while_runs devices "$btvirt" has_count devices.out ready 2 || return
    until is_up hci0; do
        pause 0.1
        waits=$((waits + 1))
        if [ "$waits" -gt 600 ] || ! is_alive "$btvirt" || ! is_alive "$air" \
            || dmesg | grep -q 'Bluetooth: hci.: Opcode .* failed: -110'; then
            echo "hci0 did not come up (attempt $attempt)" >>cases.log
            unplug_devices
            [ "$attempt" -lt 5 ] || return 1
            plug_in_devices $((attempt + 1))
            return
        fi
    done
}

unplug_devices() {
    kill "$btvirt" "$air"
    wait "$btvirt" "$air" 2>/dev/null
    exec 7>&-
    air=''
    until_so is_gone hci0
}

tell_devices() { printf '%s\n' "$@" >&7; }

devices_have() { until_so has_count devices.out "$1" "${2:-1}"; }

# Sensor and apps know nothing of each other.
from_nothing() {
    local object=/org/bluez/hci0/dev_${pulse//:/_}
    rm -rf /run/ancs/app* /run/ancs/monitor
    until_so is_forgotten "$object"
}

is_forgotten() {
    ask_bluetoothd /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice "objpath:$1"
    ask_bluetoothd /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
        string:org.bluez.Adapter1 string:Powered | grep -q true && ! devices_of_hci0 | grep -q "${1##*/}"
}

# An app under this name, with options; it gets what is written to file $3 below.
start_app() {
    local name=$1 descriptor=$2
    shift 2
    mkfifo "/run/ancs/$name.commands" 2>/dev/null
    eval "exec $descriptor<>/run/ancs/$name.commands"
    mkdir -p "/run/ancs/$name"
    chown 65534:65534 "/run/ancs/$name"
    : >"$name.out"
    $nobody /run/tests/program/central-app bluez --state "/run/ancs/$name" "$@" \
        <"/run/ancs/$name.commands" >"$name.out" 2>"$name.err" &
    app=$!
    apps[$name]=$app
    while_runs "$name" "$app" has_text "$name.out" 'state poweredOn'
}
declare -A apps

app_has() { while_runs "$1" "${apps[$1]}" has_count "$1.out" "$2" "${3:-1}"; }

# Tells the app at a descriptor, and waits for what it says.
app_does() {
    local name=$1 descriptor=$2 command=$3
    shift 3
    echo "$command" >&"$descriptor"
    app_has "$name" "$@"
}

kill_app() {
    kill "-${2:-TERM}" "${apps[$1]}"
    wait "${apps[$1]}" 2>/dev/null
}

# The identifier in the last line of an app that begins with this word.
identifier() { grep "^$2 " "$1.out" | tail -n 1 | cut -d' ' -f2; }

# The app finds the sensor and is connected to it.
app_connects() {
    app_does "$1" "$2" 'scan 180D' discovered || return
    echo stop >&"$2"
    app_does "$1" "$2" connect 'connected ' || return
    app_does "$1" "$2" discover 'discovered everything'
}

link_stands() {
    is_connected "$pulse" || problem "bluetoothd has lost the link: $1"
    [ "$(count devices.out 'Pulse disconnected')" = "$2" ] || problem "the link ended: $1"
}

links_ended() { count devices.out 'Pulse disconnected'; }

central_finds_reads_and_writes() {
    from_nothing
    local octets
    octets=$(printf '%0400d' 7)
    start_app app 8 || return
    app_connects app 8 || return
    expect_text app.out 'Pulse'
    expect_no_text app.out 'Keyboard'
    app_does app 8 "read $long" "read $long 512 000102" || return
    app_does app 8 "write $request $octets" "wrote $request" || return
    devices_have 'written request 200 0000' || return
    app_does app 8 "send $command 0102" "sent $command" || return
    devices_have 'written command 2 0102' || return
    if bluetoothd_is_before 62; then
        app_does app 8 lengths 'lengths 512 20' || return
    else
        app_does app 8 lengths 'lengths 512 512' || return
    fi
    app_does app 8 rssi 'failed rssi' || return
    app_does app 8 'notify 2A37' 'subscribed 2A37' || return
    tell_devices 'beat 61'
    app_has app 'value 2A37 003d' || return
    app_does app 8 "notify $indicated" "subscribed $indicated" || return
    tell_devices 'indicate hello'
    app_has app "value $indicated 68656c6c6f hello" || return
    devices_have 'Pulse confirmed hello' || return
    app_does app 8 'silence 2A37' 'unsubscribed 2A37' || return
    devices_have 'Pulse subscription 2A37 0 0' || return
    # Service Changed, of a service that comes and goes.
    tell_devices grow
    app_has app modified || return
    app_does app 8 discover "service $grown" || return
    tell_devices shrink
    app_has app "modified $grown" || return
    kill_app app
}

# Whether the version of bluetoothd is before 5.N.
bluetoothd_is_before() { [ "$(cut -d. -f3 versions)" -lt "$1" ]; }

# A read that needs a bond makes one. bluetoothd begins to pair when the read is refused, and asks the app's agent,
# since no other program has one. The first pairing has to succeed: Bumble takes a second one on the same link for the
# first, which has failed, and sends no keys, so that there is never a bond. The next link needs no pairing. Without a
# bond, a subscription makes one too.
central_pairs_by_itself() {
    local paired
    from_nothing
    start_app app 8 || return
    app_connects app 8 || return
    app_does app 8 "read $protected" "read $protected 6 736563726574 secret" || return
    devices_have 'Pulse paired' || return
    until_so is_bonded "$pulse"
    paired=$(count devices.out 'Pulse paired')
    app_does app 8 cancel 'gone ' || return
    app_does app 8 connect 'connected ' 2 || return
    app_does app 8 discover 'discovered everything' 2 || return
    app_does app 8 "read $protected" "read $protected 6" 2 || return
    [ "$(count devices.out 'Pulse paired')" = "$paired" ] || problem 'it was paired again'
    kill_app app
    from_nothing
    start_app app 8 || return
    app_connects app 8 || return
    app_does app 8 "notify $protected" "subscribed $protected" || return
    devices_have 'Pulse paired' $((paired + 1)) || return
    tell_devices 'whisper hush'
    app_has app "value $protected 68757368" || return
    # What is read is not notified as well.
    app_does app 8 "read $protected" "read $protected 6 736563726574" || return
    expect_no_text app.out "value $protected 736563726574"
    expect_no_text devices.out 'Pulse pairing failed'
    kill_app app
}

# The app shows digits, which are typed on the sensor, as with an alert on a phone. The keypad is there from now on, and
# only pairing needs it.
central_pairs_with_digits() {
    local paired
    from_nothing
    tell_devices keypad
    devices_have 'Pulse has a keypad' || return
    paired=$(count devices.out 'Pulse paired')
    start_app app 8 --display || return
    app_connects app 8 || return
    app_does app 8 "read $protected" 'type ' || return
    tell_devices "type $(sed -n 's/^type //p' app.out)"
    app_has app "read $protected 6 736563726574 secret" || return
    devices_have 'Pulse paired' $((paired + 1)) || return
    kill_app app
}

# bluetoothd has stored a key: before 5.65, no property tells a bond from a pairing without one.
is_bonded() { grep -q LongTermKey /var/lib/bluetooth/*/"$1"/info; }

# The example, at the first launch and after its death.
central_survives_kill() {
    local ended monitor
    from_nothing
    ended=$(links_ended)
    start_monitor "${monitor_of_examples[@]}" || return
    tell_devices 'beat 71'
    monitor_has '71 beats' || return
    expect_no_text monitor.out 'bound to'
    kill -KILL "$monitor"
    wait "$monitor" 2>/dev/null
    link_stands 'the monitor was killed' "$ended"
    start_monitor "${monitor_of_examples[@]}" || return
    tell_devices 'beat 72'
    monitor_has '72 beats' || return
    expect_text monitor.out 'bound to'
    link_stands 'the monitor came back' "$ended"
    kill -TERM "$monitor"
    wait "$monitor" 2>/dev/null
    link_stands 'the monitor ended' "$ended"
}

# A program that was written for a Mac, with Core Bluetooth's delegates: it finds the sensor, connects again when the link
# was ended, and in another run the sensor has the same identifier.
central_of_a_mac() {
    local monitor found before ended
    from_nothing
    start_monitor heart-rate-monitor || return
    monitor_has 'sensor location 2' || return
    tell_devices 'beat 91'
    monitor_has '91 bpm' || return
    before=$(count devices.out 'Pulse subscription 2A37 1 0')
    found=$(grep '^found Pulse, -' monitor.out)
    ended=$(links_ended)
    until_so ends_the_link "$ended"
    monitor_has disconnected || return
    monitor_has 'sensor location 2' 2 || return
    devices_have 'Pulse subscription 2A37 1 0' $((before + 1)) || return
    tell_devices 'beat 92'
    monitor_has '92 bpm' || return
    expect_no_text monitor.err 'CoreBluetooth:'
    kill -TERM "$monitor"
    wait "$monitor" 2>/dev/null
    until_so disconnect "$pulse"
    start_monitor heart-rate-monitor || return
    expect_text monitor.out "${found##*, }"
    kill -TERM "$monitor"
    wait "$monitor" 2>/dev/null
}

# Ends the link that is there. The program connects at once, and `disconnect` may not find it disconnected.
ends_the_link() { [ "$(links_ended)" -gt "$1" ] || { disconnect "$pulse" && false; }; }

monitor_has() { while_runs monitor "$monitor" has_count monitor.out "$1" "${2:-1}"; }

monitor_of_examples=(heart-rate monitor bluez --state /run/ancs/monitor)

# Starts a program that monitors the sensor, and waits until it has subscribed, which the sensor says.
start_monitor() {
    local before
    before=$(count devices.out 'Pulse subscription 2A37 1 0')
    mkdir -p /run/ancs/monitor
    chown 65534:65534 /run/ancs/monitor
    : >monitor.out
    $nobody env XDG_STATE_HOME=/run/ancs/monitor stdbuf -oL "/run/tests/program/$1" "${@:2}" >monitor.out 2>monitor.err &
    monitor=$!
    while_runs monitor "$monitor" has_count devices.out 'Pulse subscription 2A37 1 0' $((before + 1))
}

# One link for two apps and for other programs, none of which ends it for the others.
central_of_two_apps() {
    local ended
    from_nothing
    ended=$(links_ended)
    start_app first 8 || return
    app_connects first 8 || return
    app_does first 8 'notify 2A37' 'subscribed 2A37' || return
    start_app second 9 || return
    # It is connected, so it does not advertise, as the keyboard does: it is found among the connected ones.
    app_does second 9 scan ' Keyboard' || return
    ! grep -q 'discovered .* Pulse' second.out || problem 'a device that is connected was discovered'
    echo stop >&9
    app_does second 9 'retrieve 180D' 'retrieved ' || return
    app_does second 9 connect 'connected ' || return
    app_does second 9 discover 'discovered everything' || return
    app_does second 9 'notify 2A37' 'subscribed 2A37' || return
    tell_devices 'beat 81'
    app_has first 'value 2A37 0051' || return
    app_has second 'value 2A37 0051' || return
    # The one that made the link is done with it.
    app_does first 8 cancel 'cancelled' || return
    link_stands 'the first app is done' "$ended"
    kill_app first
    tell_devices 'beat 82'
    app_has second 'value 2A37 0052' || return
    link_stands 'the first app has ended' "$ended"
    app_does second 9 cancel 'cancelled' || return
    kill_app second
    link_stands 'both have ended, and neither can know who else uses it' "$ended"
    # A link that another program has made.
    start_app third 8 || return
    app_does third 8 'retrieve 180D' 'retrieved ' || return
    app_does third 8 connect 'connected ' || return
    app_does third 8 cancel 'cancelled' || return
    link_stands 'an app was done with the link of another program' "$ended"
    # Another program ends it for all.
    app_does third 8 connect 'connected ' 2 || return
    until_so disconnect "$pulse"
    app_has third 'gone ' 2 || return
    kill_app third
}

# Unbinding is a matter of the app: the system keeps the link, and the next launch does not bind again.
central_unbinds() {
    local ended bound
    from_nothing
    ended=$(links_ended)
    start_app app 8 --bind 180D || return
    app_has app 'bound ' || return
    app_has app 'connected ' || return
    bound=$(identifier app bound)
    kill_app app KILL
    # It is there without a scan.
    start_app app 8 --bind 180D || return
    app_has app 'connected ' || return
    [ "$(identifier app connected)" = "$bound" ] || problem 'another device was connected'
    link_stands 'an app that is bound was killed' "$ended"
    app_does app 8 unbind 'unbound' || return
    app_has app 'gone ' || return
    link_stands 'the app has unbound it' "$ended"
    kill_app app
    link_stands 'an app that has unbound it has ended' "$ended"
    start_app app 8 --bind 180D || return
    app_has app 'just unbound' || return
    expect_no_text app.out 'connected '
    app_does app 8 bind 'bound ' || return
    app_has app 'connected ' || return
    kill_app app
}

# A keyboard that bluetoothd uses types before, while and after an app uses the sensor, on a link of its own, and on one
# that another program has made.
central_beside_a_keyboard() {
    local control
    from_nothing
    until_so is_forgotten "/org/bluez/hci0/dev_${keyboard//:/_}"
    mkfifo /run/ancs/bluetoothctl 2>/dev/null
    exec 9<>/run/ancs/bluetoothctl
    : >bluetoothctl.out
    bluetoothctl --agent NoInputNoOutput <&9 >bluetoothctl.out 2>&1 &
    control=$!
    while_runs bluetoothctl "$control" has_text bluetoothctl.out 'Agent registered' || return
    printf 'scan on\n' >&9
    until_so knows "$keyboard"
    printf 'scan off\npair %s\n' "$keyboard" >&9
    devices_have 'Keyboard paired' || return
    until_so is_a_keyboard
    types 1 || return
    start_app app 8 || return
    app_connects app 8 || return
    types 2 || return
    app_does app 8 'notify 2A37' 'subscribed 2A37' || return
    types 3 || return
    app_does app 8 cancel cancelled || return
    kill_app app
    types 4 || return
    on_anothers_link || return
    types 6 || return
    expect_no_text devices.out 'Keyboard disconnected'
    echo quit >&9
    wait "$control"
    exec 9>&-
    [ -z "$typed" ] || { kill "$typed" && wait "$typed"; } 2>/dev/null
    until_so is_forgotten "/org/bluez/hci0/dev_${keyboard//:/_}"
}

# bluetoothctl, which reads file 9, connects the sensor, and no app ends that link: one that is bound to it and unbinds it,
# one that cancels, and one that is killed. All of them have it without a scan, under the same identifier.
on_anothers_link() {
    local ended unsubscribed bound
    from_nothing
    printf 'scan on\n' >&9
    until_so knows "$pulse"
    printf 'scan off\nconnect %s\n' "$pulse" >&9
    until_so is_connected "$pulse"
    ended=$(links_ended)
    unsubscribed=$(count devices.out 'Pulse subscription 2A37 0 0')
    start_app app 8 --bind 180D || return
    app_has app 'bound ' || return
    app_has app 'connected ' || return
    bound=$(identifier app bound)
    app_does app 8 discover 'discovered everything' || return
    app_does app 8 'notify 2A37' 'subscribed 2A37' || return
    tell_devices 'beat 101'
    app_has app 'value 2A37 0065' || return
    types 5 || return
    app_does app 8 unbind 'unbound' || return
    app_has app 'gone ' || return
    devices_have 'Pulse subscription 2A37 0 0' $((unsubscribed + 1)) || return
    link_stands 'an app has unbound the device of another program' "$ended"
    app_does app 8 'retrieve 180D' "retrieved $bound" || return
    app_does app 8 connect 'connected ' 2 || return
    app_does app 8 cancel 'gone ' 2 || return
    link_stands 'an app is done with the link of another program' "$ended"
    app_does app 8 connect 'connected ' 3 || return
    app_does app 8 discover 'discovered everything' 2 || return
    app_does app 8 'notify 2A37' 'subscribed 2A37' 2 || return
    kill_app app KILL
    link_stands 'an app on the link of another program was killed' "$ended"
    start_app app 8 || return
    app_does app 8 "know $bound" "retrieved $bound" || return
    app_does app 8 connect "connected $bound" || return
    kill_app app
    link_stands 'an app on the link of another program has ended' "$ended"
}

knows() { devices_of_hci0 | grep -q "dev_${1//:/_}"; }

is_a_keyboard() { compgen -G '/dev/hidraw*'; }

# The key that is pressed comes out of what the kernel made of the keyboard: report 1 with this code, then without.
types() {
    local keys=keys.$1
    : >"$keys"
    head -c 18 "$(compgen -G '/dev/hidraw*')" >"$keys" &
    typed=$!
    # It may not read yet.
    until [ "$(od -An -tx1 "$keys" | tr -d ' \n')" = "010000$(printf %02x "$1")0000000000010000000000000000" ]; do
        kill -0 "$typed" 2>/dev/null || break
        tell_devices "press $1"
        sleep 0.5
    done
    wait "$typed"
    typed=''
    od -An -tx1 "$keys" | tr -d ' \n' | grep -q "010000$(printf %02x "$1")" || problem "the keyboard does not type $1"
}
