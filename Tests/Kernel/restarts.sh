# The cases of the Central in which bluetoothd restarts or its adapter is switched off, sourced by cases.sh after central.sh.

restart_in_place() {
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    "$@"
    start_bluetoothd
}

# bluetoothd is killed for the nth time, until the app knows; then the app has Bluetooth again.
restart_under_app() {
    restart_in_place app_has app 'state resetting' "$1" || return
    app_has app 'state poweredOn' $(($1 + 1))
}

is_discovering() {
    ask_bluetoothd /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
        string:org.bluez.Adapter1 string:Discovering | grep -q true
}

# Before the app does anything, while it scans, while it waits for a link, while bluetoothd discovers services, on a link
# where nothing happens, while requests have no answer, and with a subscription.
central_when_bluetoothd_restarts() {
    local ignored gone
    from_nothing
    start_app app 8 || return
    restart_under_app 1 || return
    tell_devices hush
    devices_have 'Pulse hushed' || return
    echo 'scan 180D' >&8
    until_so is_discovering
    restart_under_app 2 || return
    tell_devices speak
    app_does app 8 'scan 180D' 'discovered ' || return
    echo stop >&8
    tell_devices hush
    devices_have 'Pulse hushed' 2 || return
    # Whatever follows is carried out after the call has been made.
    echo connect >&8
    app_does app 8 lengths 'lengths ' || return
    restart_under_app 3 || return
    ignored=$(count devices.out 'Pulse ignored')
    tell_devices deafen speak
    # The request has no limit, and has lasted.
    app_has app 'connected ' || return
    devices_have 'Pulse ignored' $((ignored + 1)) || return
    app_does app 8 $'discover\nlengths' 'lengths ' 2 || return
    restart_under_app 4 || return
    app_has app 'failed discover: ' || return
    tell_devices listen
    connect_again || return
    gone=$(count app.out 'gone ')
    restart_under_app 5 || return
    app_has app 'gone ' $((gone + 1)) || return
    connect_again || return
    ignored=$(count devices.out 'Pulse ignored')
    tell_devices deafen
    devices_have 'Pulse is deaf' 2 || return
    printf '%s\n' "read $long" "write $request 01" "send $command 02" 'notify 2A37' >&8
    app_does app 8 lengths 'lengths ' 3 || return
    devices_have 'Pulse ignored' $((ignored + 1)) || return
    restart_under_app 6 || return
    app_has app "failed read $long: " || return
    app_has app "failed write $request 01: " || return
    app_has app 'failed notify 2A37: ' || return
    tell_devices listen
    connect_again || return
    app_does app 8 "read $long" "read $long 512 000102" || return
    app_does app 8 'notify 2A37' 'subscribed 2A37' || return
    tell_devices 'beat 91'
    app_has app 'value 2A37 005b' || return
    restart_under_app 7 || return
    kill_app app
    # A bound app needs nobody.
    start_monitor "${monitor_of_examples[@]}" || return
    restart_in_place true
    while_runs monitor "$monitor" has_count devices.out 'Pulse subscription 2A37 1 0' \
        $(($(count devices.out 'Pulse subscription 2A37 1 0') + 1)) || return
    tell_devices 'beat 92'
    while_runs monitor "$monitor" has_text monitor.out '92 beats' || return
    kill -TERM "$monitor"
    wait "$monitor" 2>/dev/null
}

# Debian 13's bluetoothd still has the old link, which the kernel ends soon: the first attempt may be in vain.
connect_again() {
    until app_tries connect linked && app_tries discover 'discovered everything'; do
        kill -0 "$app" || return
        sleep 1
    done
}

# Tells the app, and waits until the command has succeeded, which is said so, or has failed.
app_tries() {
    local succeeded failed
    succeeded=$(count app.out "$2")
    failed=$(count app.out "failed $1:")
    echo "$1" >&8
    while_runs app "$app" has_answered "$2" "$succeeded" "failed $1:" "$failed" || return
    has_count app.out "$2" $((succeeded + 1))
}

has_answered() { has_count app.out "$1" $(($2 + 1)) || has_count app.out "$3" $(($4 + 1)); }

central_switched_off() {
    from_nothing
    start_monitor "${monitor_of_examples[@]}" || return
    start_app app 8 || return
    local before
    before=$(count devices.out 'Pulse subscription 2A37 1 0')
    power false
    app_has app 'state poweredOff' || return
    power true
    app_has app 'state poweredOn' 2 || return
    while_runs monitor "$monitor" has_count devices.out 'Pulse subscription 2A37 1 0' $((before + 1)) || return
    tell_devices 'beat 93'
    while_runs monitor "$monitor" has_text monitor.out '93 beats' || return
    kill -TERM "$monitor"
    wait "$monitor" 2>/dev/null
    kill_app app
}
