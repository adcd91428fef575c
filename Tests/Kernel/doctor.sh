# The cases of 'ancs doctor', sourced by cases.sh: what it says of a machine that works, and of one on which one thing
# is wrong. It runs as a user without privileges.

doctor=(doctor_nothing_is_wrong doctor_no_adapter doctor_radio_blocked doctor_powered_off
    doctor_no_bluetoothd doctor_another_program doctor_consent_off doctor_service_off doctor_phone_forgot)

# Runs the doctor, whose first fault has to be of this kind; "null" for none.
expect_fault() {
    local status=1 fault="\"firstFault\":{\"id\":\"$1\""
    [ "$1" != null ] || status=0 fault='"firstFault":null'
    through=$nobody expect_run "$status" doctor doctor --json
    expect_text doctor.out "$fault"
    expect_text doctor.out "${2:-}"
}

# Waits until it says so: bluetoothd and the kernel tell of changes a little later.
until_fault() {
    until_so doctor_has "\"firstFault\":{\"id\":\"$1\""
    expect_fault "$@"
}

doctor_nothing_is_wrong() {
    # A phone that is paired, and no program that receives, would be a fault.
    until_so nobody_is_known
    through=$nobody expect_run 0 doctor doctor
    expect_text doctor.out 'no fault'
    expect_text doctor.out 'no iPhone is paired'
    # The kernel passes it on to every user.
    expect_text doctor.out 'Linux Foundation (software), Bluetooth'
    start_receiver || return
    start_iphone
    receiver_has "$session" || return
    expect_fault null '"id":"subscription"'
    stop_iphone
    stop_receiver
    until_so is_up hci1
}

doctor_no_adapter() {
    unplug
    expect_fault adapter 'plug one in'
    plug_in
    until_so is_up hci0
    until_so is_up hci1
}

doctor_radio_blocked() {
    local name
    for name in $(grep -lx bluetooth /sys/class/rfkill/*/type); do echo 1 >"${name%type}soft"; done
    expect_fault radio-switch 'rfkill unblock bluetooth'
    for name in $(grep -lx bluetooth /sys/class/rfkill/*/type); do echo 0 >"${name%type}soft"; done
    until_so is_up hci0
    until_so is_up hci1
}

power_all() {
    local adapter
    for adapter in hci0 hci1; do
        ask_bluetoothd "/org/bluez/$adapter" org.freedesktop.DBus.Properties.Set \
            string:org.bluez.Adapter1 string:Powered "variant:boolean:$1"
    done
}

doctor_powered_off() {
    power_all false
    expect_fault power 'bluetoothctl power on'
    power_all true
    until_so is_up hci0
    until_so is_up hci1
}

doctor_no_bluetoothd() {
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    expect_fault bluetoothd 'systemctl start bluetooth'
    start_bluetoothd
    until_so is_up hci0
    until_so is_up hci1
}

# Under another project's name, and under one that nobody knows.
doctor_another_program() {
    local ours=$ancs name
    for name in ancs4linux-observer strange; do
        ln -sf "$ours" "/run/ancs/$name"
        ancs=/run/ancs/$name
        start_receiver || return
        start_iphone
        ancs=$ours
        receiver_has "$session" || return
        case $name in
            # A subscription may also be left over: first a program of ours has to run.
            strange) expect_fault daemon 'an unknown program' ;;
            *) expect_fault other-programs "kill $receiver" ;;
        esac
        stop_iphone
        stop_receiver
        until_so is_up hci1
    done
}

# The daemon at hci0 and a phone whose notifications come; the doctor asks the daemon on the same session bus.
start_daemon() {
    until_so nobody_is_known
    rm -rf /run/ancs/iphone /run/ancs/daemon
    mkdir -p /run/ancs/daemon
    chown 65534:65534 /run/ancs/daemon
    printf '[bluetooth]\nname = "Lab"\nadapter = "bluez:hci0"\n' >daemon.toml
    [ -e /run/ancs/session-bus ] || $nobody dbus-daemon --session --fork --nopidfile --print-address=1 \
        >/run/ancs/session-bus
    DBUS_SESSION_BUS_ADDRESS=$(cat /run/ancs/session-bus)
    export DBUS_SESSION_BUS_ADDRESS
    through=$nobody start daemon serve --config "$PWD/daemon.toml"
    daemon=$process
    while_runs daemon "$daemon" has_text daemon.err 'on the bus as' || return
    pair_with_daemon || return
    while_runs daemon "$daemon" doctor_has '"id":"subscription"'
}

# A user on each side says that both show the same digits.
pair_with_daemon() {
    local pairing
    start_iphone --io yesno
    mkfifo /run/ancs/pair.commands 2>/dev/null
    exec 6<>/run/ancs/pair.commands
    : >pair.out
    $nobody "$ancs" pair <&6 >pair.out 2>pair.err &
    pairing=$!
    while_runs pair "$pairing" has_text pair.out 'yes or no:' || return
    while_runs iphone "$iphone" has_text iphone.out '"ask":"confirm"' || return
    echo yes >&6
    tell_iphone yes
    wait "$pairing"
    expect_status 0 $? pair
    exec 6>&-
}

doctor_has() {
    through=$nobody start doctor doctor --json
    wait "$process"
    has_text doctor.out "$1"
}

stop_daemon() {
    stop_iphone
    stop daemon "$daemon"
    unset DBUS_SESSION_BUS_ADDRESS
}

doctor_consent_off() {
    start_daemon || return
    # On a new link. The session that there is may have been answered before, and then it asks again after a quarter
    # of an hour.
    tell_iphone 'consent off' disconnect
    until_fault authorization 'Share System Notifications'
    stop_daemon
}

doctor_service_off() {
    start_daemon || return
    tell_iphone unpublish
    until_fault service 'Share System Notifications'
    stop_daemon
}

# The phone comes back without its keys, and is refused. When pairing is open, its user compares digits again, and it
# is served.
doctor_phone_forgot() {
    start_daemon || return
    tell_iphone forget
    until_so doctor_has "if you removed 'Lab' on the phone, run 'bluetoothctl remove "
    pair_again || return
    until_so doctor_has '"id":"subscription"'
    stop_daemon
}

pair_again() {
    local pairing
    exec 6<>/run/ancs/pair.commands
    : >pair.out
    $nobody "$ancs" pair <&6 >>pair.out 2>pair.err &
    pairing=$!
    say_yes_until pair.out 6 has_ended "$pairing"
    wait "$pairing"
    expect_status 0 $? pair
    exec 6>&-
}

has_ended() { ! kill -0 "$1"; }
