# The cases, sourced by guest.sh, and by run.sh for their names: what it takes to use a controller that the kernel and
# bluetoothd have. They wait for conditions; run.sh ends a guest in which one never comes true.

all=(takes_an_unused_interface_down bluetoothd_and_the_next_run leaves_what_is_connected
    a_second_program_is_refused without_the_capability no_such_controller switched_off
    a_controller_that_vanishes a_signal_while_it_is_away)
problems=()

# Waits for this many seconds. What is asked ten times a second is asked without other programs: to start one, such as
# `sleep` or `grep`, takes the emulator 35 ms.
pause() { read -rt "$1" -u "$nothing" || true; }

# Says what is wrong in the running case, which goes on.
problem() { problems+=("$*"); }

expect_status() { [ "$2" = "$1" ] || problem "$3 ended with status $2, not $1: $(tail -n 3 "$3.err" "$3.out")"; }

expect_text() { grep -qF -- "$2" "$1" || problem "'$2' is not in $1: $(tail -n 3 "$1")"; }

expect_no_text() { ! grep -qF -- "$2" "$1" || problem "'$2' is in $1"; }

# Whether the phone was told what it does not know. An answer may come after its question was withdrawn.
is_misunderstood() {
    local line lines
    mapfile -t lines 2>/dev/null <iphone.err
    for line in "${lines[@]}"; do
        [[ $line != *'is not a command'* || $line == *"'yes'"* ]] || return 0
    done
    return 1
}

# Tells run.sh what is waited for, in case it never comes.
waits_for() { echo "$*" >/run/tests/waiting; }

# Waits until a command succeeds; fails where the controllers are lost, or a phone was told what it does not know, for
# then it may never do.
until_so() {
    ! "$@" >/dev/null 2>&1 || return 0
    waits_for "$@"
    until "$@" >/dev/null 2>&1; do
        [ ! -e lost ] || return
        if is_misunderstood; then
            problem "the phone: $(tail -n 3 iphone.err)"
            return 1
        fi
        pause 0.1
    done
}

# Waits until a command succeeds; fails where NAME, the program with this number, ends before.
while_runs() {
    local name=$1 number=$2
    shift 2
    ! "$@" >/dev/null 2>&1 || return 0
    waits_for "$@"
    until "$@" >/dev/null 2>&1; do
        if ! kill -0 "$number" 2>/dev/null; then
            problem "$name has ended: $(tail -n 3 "$name.err")"
            return 1
        fi
        pause 0.1
    done
}

# A file that a program writes in the background is emptied before: what it has from the last one is not an answer.
has_text() { has_count "$1" "$2" 1; }

# Whether at least this many lines of a file have a text.
has_count() {
    local line lines missing=$3
    mapfile -t lines <"$1"
    for line in "${lines[@]}"; do
        [ "$missing" -gt 0 ] || break
        [[ $line != *"$2"* ]] || missing=$((missing - 1))
    done
    [ "$missing" -le 0 ]
}

is_up() { [[ $(hciconfig "$1" 2>/dev/null) == *'UP RUNNING'* ]]; }

is_alive() {
    local status
    mapfile -t status 2>/dev/null <"/proc/$1/status" || return
    [[ ${status[2]} != State:?Z* ]]
}

is_gone() { [ ! -e "/sys/class/bluetooth/$1" ]; }

has_address() { hciconfig "$1" 2>/dev/null | grep 'BD Address' | grep -qv 00:00:00:00:00:00; }

# Two controllers that hear each other; bluetoothd finds them and brings them up. The kernel gives up a
# new controller that does not answer within 2 s: btvirt comes before all other programs, and where that
# is not enough, because this machine is busy, or where btvirt ends, the controllers are made again, five times at most.
# Fails where that does not help, or a case has lost its controllers.
plug_in() {
    local attempt=${1:-1} waits=0
    dmesg --read-clear >>dmesg.log
    (cd /run/ancs && exec chrt --fifo 1 btvirt -l2 >>/run/logs/btvirt.log 2>&1) &
    btvirt=$!
    echo "$btvirt" >/run/ancs/btvirt.number
    until has_address hci0 && has_address hci1; do
        [ ! -e lost ] || return 1
        pause 0.1
        waits=$((waits + 1))
        if [ "$waits" -gt 300 ] || ! is_alive "$btvirt" \
            || dmesg | grep -q 'Bluetooth: hci.: Opcode .* failed: -110'; then
            unplug
            [ "$attempt" -lt 5 ] || return 1
            plug_in $((attempt + 1))
            return
        fi
    done
}

unplug() {
    rm -f /run/ancs/btvirt.number
    kill "$btvirt" 2>/dev/null
    wait "$btvirt" 2>/dev/null
    until_so is_gone hci0
    until_so is_gone hci1
}

# Starts the program, perhaps by way of another that $through names, in the background: it reads $commands,
# writes to NAME.out and NAME.err and keeps its bonds for itself. Its number is $process.
start() {
    local name=$1
    shift
    : >"$name.out"
    : >"$name.err"
    ${through:-} "$ancs" "$@" --state "/run/ancs/$name" >"$name.out" 2>"$name.err" <"${commands:-/dev/null}" &
    process=$!
}

# Runs the program to its end, which has to have this status. One that is expected to be refused has
# --timeout, so that it ends with status 0 where it is not.
expect_run() {
    local wanted=$1
    shift
    start "$@"
    wait "$process"
    expect_status "$wanted" $? "$1"
}

# Ends a program that was started as NAME, which has to end well.
stop() {
    kill -TERM "$2"
    wait "$2"
    expect_status 0 $? "$1"
}

# A phone on the other controller pairs with an accessory, NAME with this number, and sends it a notification.
expect_notification() {
    expect_run 0 phone phone --hci hci-socket:0 --scenario "$tests/../../Scenarios/first-pairing.json"
    while_runs "$1" "$2" has_text "$1.out" '"title":"Ada Lovelace"'
}

takes_an_unused_interface_down() {
    local accessory
    start accessory receive --hci hci-socket:1 --name Lab --json
    accessory=$process
    expect_notification accessory "$accessory"
    stop accessory "$accessory"
    expect_text accessory.err 'hci1 was up and nothing was connected to it: it was taken down'
    expect_text phone.err 'hci0 was up and nothing was connected to it: it was taken down'
}

# Without a pause, while bluetoothd may be bringing the interface up.
bluetoothd_and_the_next_run() {
    local round
    for round in 1 2 3; do
        expect_run 0 again receive --hci hci-socket:1 --timeout 1
    done
    until_so is_up hci1
    expect_run 0 again receive --hci hci-socket:1 --timeout 1
    expect_text again.err 'it was taken down'
    until_so is_up hci1
}

leaves_what_is_connected() {
    local keyboard address
    mkfifo /run/ancs/commands
    exec 3<>/run/ancs/commands
    commands=/run/ancs/commands start keyboard advertise --hci hci-socket:0 --name Keyboard --json
    keyboard=$process
    # Then hci1 is the one that bluetoothctl means.
    while_runs keyboard "$keyboard" bluetoothd_has_one || return
    while_runs keyboard "$keyboard" find_keyboard || return
    address=$(address_of_keyboard)
    while_runs keyboard "$keyboard" connect "$address" || return
    expect_run 3 refused receive --hci hci-socket:1 --timeout 5
    expect_text refused.err "connected to Keyboard ($address)"
    expect_no_text refused.err 'taken down'
    is_up hci1 || problem "the interface was taken down"
    is_connected "$address" || problem "bluetoothd has lost the connection"
    expect_no_text keyboard.out '"disconnected"'
    until_so disconnect "$address"
    stop keyboard "$keyboard"
    exec 3>&-
    expect_text keyboard.out '"disconnected"'
    expect_run 0 free receive --hci hci-socket:1 --timeout 1
    until_so is_up hci0
    until_so is_up hci1
}

bluetoothd_has_one() { [ "$(timeout 20 bluetoothctl list | wc -l)" = 1 ]; }

# btvirt reports an advertiser when it starts, or when a scan starts, and then the kernel may not listen
# yet: the keyboard starts again while bluetoothd scans.
find_keyboard() {
    local scan
    timeout 30 bluetoothctl --timeout 20 scan on &
    scan=$!
    until timeout 20 bluetoothctl show | grep -q 'Discovering: yes'; do kill -0 $scan || return; done
    while [ -z "$(address_of_keyboard)" ] && kill -0 $scan; do printf 'stop\nstart\n' >&3; done
    kill $scan
    wait $scan
    [ -n "$(address_of_keyboard)" ]
}

address_of_keyboard() {
    timeout 20 bluetoothctl devices | sed -n 's/^Device \([0-9A-F:]*\) Keyboard$/\1/p' | head -n 1
}

is_connected() { timeout 20 bluetoothctl info "$1" | grep -q 'Connected: yes'; }

connect() {
    timeout 20 bluetoothctl connect "$1"
    is_connected "$1"
}

disconnect() {
    timeout 20 bluetoothctl disconnect "$1"
    ! is_connected "$1"
}

a_second_program_is_refused() {
    local first
    start first receive --hci hci-socket:1 --verbose
    first=$process
    while_runs first "$first" has_text first.err 'advertising as' || return
    expect_run 3 second receive --hci hci-socket:1 --timeout 5
    expect_text second.err 'hci1 is in use by another program'
    expect_no_text second.err btmgmt
    kill -0 "$first" || problem "the first program has ended"
    stop first "$first"
    until_so is_up hci1
}

without_the_capability() {
    through='setpriv --bounding-set=-net_admin' expect_run 3 incapable receive --hci hci-socket:1 --timeout 5
    expect_text incapable.err CAP_NET_ADMIN
    is_up hci1 || problem "the interface was taken down"
    # It needs no other; the second one is for files of this machine that belong to another user.
    through='setpriv --bounding-set=-all,+net_admin,+dac_read_search' \
        expect_run 0 capable receive --hci hci-socket:1 --timeout 1
    until_so is_up hci1
}

no_such_controller() {
    expect_run 3 absent receive --hci hci-socket:7 --timeout 5
    expect_text absent.err 'there is no controller hci7'
}

switched_off() {
    local switch
    switch=$(grep -lx hci1 /sys/class/rfkill/*/name)
    echo 1 >"${switch%name}soft"
    expect_run 3 blocked receive --hci hci-socket:1 --timeout 5
    expect_text blocked.err 'hci1 is turned off'
    echo 0 >"${switch%name}soft"
    until_so is_up hci1
}

a_controller_that_vanishes() {
    local accessory
    start vanishing receive --hci hci-socket:1 --name Lab --json --verbose
    accessory=$process
    while_runs vanishing "$accessory" has_text vanishing.err 'advertising as' || return
    unplug
    while_runs vanishing "$accessory" has_text vanishing.err 'it will be opened again when it is back'
    expect_text vanishing.err 'hci-socket:1 has disappeared: it was unplugged'
    plug_in
    until_so is_up hci0
    expect_notification vanishing "$accessory"
    stop vanishing "$accessory"
    until_so is_up hci1
}

a_signal_while_it_is_away() {
    local away
    start away receive --hci hci-socket:1 --verbose
    away=$process
    while_runs away "$away" has_text away.err 'advertising as' || return
    unplug
    while_runs away "$away" has_text away.err 'it will be opened again when it is back'
    stop away "$away"
    plug_in
    until_so is_up hci0
    until_so is_up hci1
}

. "$tests/bluez.sh"
. "$tests/doctor.sh"
. "$tests/serve.sh"
. "$tests/keys.sh"
. "$tests/basic-rate.sh"
. "$tests/selinux.sh"
. "$tests/central.sh"
. "$tests/restarts.sh"
all+=("${at_bluetoothd[@]}" "${keys[@]}" "${serving[@]}" "${doctor[@]}" "${basic_rate[@]}" "${selinux[@]}"
    "${central[@]}")
