# The case of an adapter that is discoverable over BR/EDR, sourced by cases.sh: bluetoothd has both bearers, as it does
# where nobody has changed its configuration, and the desktop's Bluetooth settings are open.

basic_rate=(discoverable_over_br_edr)

# With other controllers: BR/EDR cannot be turned on at those that are in use.
restart_bluetoothd() {
    unplug
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    start_bluetoothd "$@"
    plug_in
    until_so is_up hci0
    until_so is_up hci1
}

set_discoverable() {
    ask_bluetoothd /org/bluez/hci0 org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Discoverable "variant:boolean:$1"
}

discoverable_over_br_edr() {
    local advice='close the desktop'"'"'s Bluetooth settings, or run "bluetoothctl discoverable off"'
    sed 's/^ControllerMode.*/ControllerMode = dual/' "$tests/main.conf" >/run/ancs/dual.conf
    restart_bluetoothd -f /run/ancs/dual.conf
    until_so set_discoverable true
    # A receiver and 'ancs pair' say it while pairing is open, the doctor says it always; the phone pairs all the same.
    start_daemon || return
    expect_text daemon.err "$advice"
    expect_text pair.out "$advice"
    through=$nobody start doctor doctor
    wait "$process"
    expect_text doctor.out 'discoverable over BR/EDR'
    expect_text doctor.out "$advice"
    stop_daemon
    start_receiver || return
    while_runs receiver "$receiver" has_text receiver.err "$advice" || return
    until_so set_discoverable false
    set_discoverable true
    while_runs receiver "$receiver" has_count receiver.err "$advice" 2
    stop_receiver
    restart_bluetoothd
}
