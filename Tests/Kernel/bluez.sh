# The cases at bluetoothd, sourced by cases.sh: our receiver uses bluetoothd's hci0 as a user without privileges,
# and our phone has hci1 for itself.

at_bluetoothd=(at_bluetoothd_from_nothing at_bluetoothd_with_a_terminal at_bluetoothd_without_digits
    at_bluetoothd_hidden_until_paired at_bluetoothd_hidden_with_nobody_there
    at_bluetoothd_hidden_and_pairs_at_once at_bluetoothd_again
    at_bluetoothd_300_notifications at_bluetoothd_the_service_goes at_bluetoothd_a_call_is_declined
    at_bluetoothd_nobody_reads_along at_bluetoothd_beside_a_keyboard at_bluetoothd_that_restarts
    at_bluetoothd_switched_off at_bluetoothd_unplugged at_bluetoothd_without_an_adapter
    at_bluetoothd_asks_for_a_lasting_link at_bluetoothd_with_media)

# A user who may do nothing but read this machine's files, which belong to another user.
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all,+dac_read_search
    --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search'

# Nobody knows anybody: the receiver at hci0 is found, and its number is $receiver.
start_receiver() {
    until_so nobody_is_known
    rm -rf /run/ancs/iphone
    mkfifo /run/ancs/receiver.commands 2>/dev/null
    exec 5<>/run/ancs/receiver.commands
    through=$nobody commands=/run/ancs/receiver.commands \
        start receiver receive --bluez hci0 --name Lab --json --verbose "$@"
    receiver=$process
    while_runs receiver "$receiver" has_text receiver.err 'advertising as'
}

# Once its phone has left, the receiver advertises, and ends only then: bluetoothd does not notice the end of a program
# that has just asked to advertise, and keeps one of three places for it.
stop_receiver() {
    phone_is_there || while_runs receiver "$receiver" is_on_air
    stop receiver "$receiver"
    exec 5>&-
}

# Whether the receiver advertises, by what it wrote.
is_on_air() {
    local line lines on_air=''
    mapfile -t lines <receiver.out
    for line in "${lines[@]}"; do
        case $line in
            *'"event":"advertising","on":true'*) on_air=yes ;;
            *'"event":"advertising"'* | *'"event":"resetting"'*) on_air='' ;;
        esac
    done
    [ -n "$on_air" ]
}

phone_is_there() { kill -0 "${iphone:-}" 2>/dev/null; }

# bluetoothctl may end before it has heard of everything: what has to be sure is asked without it.
ask_bluetoothd() {
    local path=$1
    shift
    dbus-send --system --print-reply=literal --dest=org.bluez "$path" "$@"
}

power() {
    ask_bluetoothd /org/bluez/hci0 org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$1"
}

devices_of_hci0() {
    ask_bluetoothd / org.freedesktop.DBus.ObjectManager.GetManagedObjects \
        | grep -o '/org/bluez/hci0/dev_[0-9A-F_]*' | sort -u
}

nobody_is_known() {
    local device devices
    ask_bluetoothd /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
        string:org.bluez.Adapter1 string:Address || {
        revive_bluetoothd
        return 1
    }
    devices=$(devices_of_hci0)
    for device in $devices; do
        ask_bluetoothd /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice "objpath:$device"
    done
    [ -z "$devices" ]
}

# Starts bluetoothd again if it has ended between two cases, and says so: after a phone has left, 5.66 crashes at times.
revive_bluetoothd() {
    [ ! -e /run/ancs/ending ] && ! is_running bluetoothd || return
    echo '  bluetoothd had ended before this case; it was started again' >>/run/tests/results
    start_bluetoothd
    until_so is_up hci0
    until_so is_up hci1
}

# A phone on hci1 that does what it is told; its number is $iphone.
start_iphone() {
    mkfifo /run/ancs/iphone.commands 2>/dev/null
    exec 4<>/run/ancs/iphone.commands
    commands=/run/ancs/iphone.commands start iphone phone --hci hci-socket:1 --json "$@"
    iphone=$process
}

tell_iphone() { printf '%s\n' "$@" >&4; }

stop_iphone() {
    stop iphone "$iphone"
    exec 4>&-
    until_so is_up hci1
}

# How many lines of a file have a text.
count() { grep -cF -- "$2" "$1"; }

receiver_has() { while_runs receiver "$receiver" has_count receiver.out "$1" "${2:-1}"; }

# Sessions that began.
session='"state":"started"'

play() { expect_run 0 iphone phone --hci hci-socket:1 --scenario "$tests/../../Scenarios/$1.json"; }

at_bluetoothd_from_nothing() {
    start_receiver || return
    play first-pairing
    receiver_has '"title":"Ada Lovelace"'
    expect_no_text receiver.err 'other users of this machine can read'
    stop_receiver
    until_so is_up hci1
}

# A receiver that asks its user, at hci0: its answers go to file 5, its number is $terminal.
start_at_terminal() {
    until_so nobody_is_known
    rm -rf /run/ancs/iphone
    mkfifo /run/ancs/terminal 2>/dev/null
    exec 5<>/run/ancs/terminal
    : >terminal.out
    script -qfec "$ancs receive --bluez hci0 --name Lab" terminal.out </run/ancs/terminal >/dev/null 2>terminal.err &
    terminal=$!
    while_runs terminal "$terminal" has_text terminal.out 'waiting as Lab'
}

terminal_has() { while_runs terminal "$terminal" has_text terminal.out "$1"; }

stop_terminal() {
    kill -TERM "$(pgrep -f "^$ancs receive --bluez")"
    wait "$terminal"
    exec 5>&-
}

# The user is asked, and the phone's user too; the six digits are the same.
at_bluetoothd_with_a_terminal() {
    start_at_terminal || return
    start_iphone --io yesno
    terminal_has 'yes or no:' || return
    while_runs iphone "$iphone" has_text iphone.out '"ask":"confirm"' || return
    expect_text terminal.out "$(printf %06d "$(sed -n 's/.*"ask":"confirm","value":\([0-9]*\).*/\1/p' iphone.out)")"
    tell_iphone yes
    echo yes >&5
    terminal_has 'receiving notifications' || return
    # It forgets this machine and pairs again, which its user may while pairing is open.
    tell_iphone forget
    echo pair >&5
    say_yes_until terminal.out 5 has_text terminal.out 'which was paired before, are replaced'
    stop_iphone
    stop_terminal
}

# A device that claims to have neither a screen nor a keyboard is paired by bluetoothd, which asks nobody: it is
# removed, and the user reads why.
at_bluetoothd_without_digits() {
    start_at_terminal || return
    start_iphone --io none
    terminal_has 'a device that cannot show digits wanted to pair' || return
    until_so nobody_is_paired
    expect_no_text terminal.out 'receiving notifications'
    expect_no_text iphone.out "$session"
    stop_iphone
    stop_terminal
}

nobody_is_paired() {
    ! ask_bluetoothd / org.freedesktop.DBus.ObjectManager.GetManagedObjects | tr -s ' \n' ' ' \
        | grep -q 'Paired variant boolean true'
}

# As an iPhone is: ANCS is not there before pairing, and its user takes longer than bluetoothd's discovery.
at_bluetoothd_hidden_until_paired() {
    start_at_terminal || return
    start iphone phone --hci hci-socket:1 --io yesno --scenario "$tests/hidden-until-paired.json"
    iphone=$process
    terminal_has 'yes or no:' || return
    while_runs iphone "$iphone" services_are_resolved || return
    echo yes >&5
    wait "$iphone"
    expect_status 0 $? iphone
    terminal_has 'Ada Lovelace'
    until_so is_up hci1
    stop_terminal
}

# The same where nobody answers at either side.
at_bluetoothd_hidden_with_nobody_there() {
    start_receiver || return
    expect_run 0 iphone phone --hci hci-socket:1 --scenario "$tests/hidden-until-paired.json"
    receiver_has '"title":"Ada Lovelace"'
    stop_receiver
    until_so is_up hci1
}

# The phone does not wait to be asked to pair, in the middle of bluetoothd's discovery.
at_bluetoothd_hidden_and_pairs_at_once() {
    start_receiver || return
    expect_run 0 iphone phone --hci hci-socket:1 --pair connection --scenario "$tests/hidden-until-paired.json"
    receiver_has '"title":"Ada Lovelace"'
    stop_receiver
    until_so is_up hci1
}

services_are_resolved() {
    ask_bluetoothd "$(devices_of_hci0 | head -n 1)" org.freedesktop.DBus.Properties.Get \
        string:org.bluez.Device1 string:ServicesResolved | grep -q 'boolean true'
}

# The link ends, and the phone comes back with its bond.
at_bluetoothd_again() {
    start_receiver || return
    play reconnect
    receiver_has "$session" 2
    expect_text receiver.out '"event":"paired"'
    # A pairing is told once more where bluetoothd learns of the phone's identity late. There is none on the second link.
    ! sed '1,/"event":"disconnected"/d' receiver.out | grep -qF '"event":"paired"' || problem 'it paired again'
    stop_receiver
    until_so is_up hci1
}

# With the capability, the phone is asked past bluetoothd: while it pairs, when the kernel gives the link another
# address, and when it comes back. Without it nobody asks.
at_bluetoothd_asks_for_a_lasting_link() {
    start_receiver || return
    start_iphone --state /run/ancs/iphone
    receiver_has "$session" || return
    stop_iphone
    receiver_has '"event":"disconnected"'
    stop_receiver
    expect_no_text receiver.out '"event":"link"'
    local nobody=${nobody//+dac_read_search/+dac_read_search,+net_raw}
    start_receiver || return
    start_iphone --state /run/ancs/iphone
    receiver_has '"latency":0,"timeout":6000' || return
    receiver_has "$session" || return
    tell_iphone disconnect
    receiver_has '"latency":0,"timeout":6000' 2 || return
    stop_iphone
    stop_receiver
}

at_bluetoothd_300_notifications() {
    local complete
    start_receiver || return
    start_iphone
    receiver_has "$session" || return
    for number in $(seq 300); do echo "post Messages 'Friend $number' 'Number $number of the day'"; done >&4
    receiver_has '"event":"added"' 300 || return
    complete=$(sed -n 's/.*"event":"added".*"title":"Friend \([0-9]*\)".*"message":"Number \1 of the day".*/\1/p' \
        receiver.out | sort -nu | wc -l)
    [ "$complete" = 300 ] || problem "$complete of 300 are complete; another: $(grep '"event":"added"' receiver.out \
        | grep -vE '"message":"Number [0-9]+ of the day"' | head -n 1)"
    expect_no_text receiver.out '"event":"missed"'
    stop_iphone
    stop_receiver
}

at_bluetoothd_the_service_goes() {
    start_receiver || return
    play service-vanishes
    receiver_has "the phone's services have changed"
    receiver_has "$session" 2
    stop_receiver
    until_so is_up hci1
}

at_bluetoothd_a_call_is_declined() {
    start_receiver || return
    start_iphone
    receiver_has "$session" || return
    tell_iphone 'call "Grace Hopper"'
    receiver_has '"category":"incomingCall"' || return
    echo 'perform 0 negative' >&5
    receiver_has '"action":"negative","result":"performed"' || return
    while_runs iphone "$iphone" has_text iphone.out '"performed":true'
    receiver_has '"category":"missedCall"'
    stop_iphone
    stop_receiver
}

# Who listens on the bus sees that something is notified, and not what.
at_bluetoothd_nobody_reads_along() {
    local monitor
    start_receiver || return
    : >monitor.out
    $nobody dbus-monitor --system >monitor.out 2>monitor.err &
    monitor=$!
    until_so has_text monitor.out NameAcquired
    start_iphone
    receiver_has "$session" || return
    tell_iphone "post Messages 'Ada Lovelace' 'A secret of ours'"
    receiver_has 'A secret of ours' || return
    kill "$monitor"
    wait "$monitor" 2>/dev/null
    # The eight octets of the Notification Source.
    expect_text monitor.out org.bluez.GattCharacteristic1
    expect_no_text monitor.out 'Ada Lovelace'
    expect_no_text monitor.out 'secret'
    # What is broadcast as octets is written as numbers: "Ada" would be.
    expect_no_text monitor.out '41 64 61'
    stop_iphone
    stop_receiver
}

# What is playing is told, goes and comes, and obeys; who listens on the bus reads none of it. A notification arrives
# all the same.
at_bluetoothd_with_media() {
    local monitor
    start_receiver --media || return
    : >monitor.out
    $nobody dbus-monitor --system >monitor.out 2>monitor.err &
    monitor=$!
    until_so has_text monitor.out NameAcquired
    start_iphone --state /run/ancs/iphone
    receiver_has "$session" || return
    tell_iphone 'player Music com.apple.Music' "track 'Note G' 'Ada Lovelace' Notes 180" play
    receiver_has '"title":"Note G"' || return
    echo pause >&5
    receiver_has '"command":"pause","result":"accepted"' || return
    receiver_has '"playback":"paused"' || return
    tell_iphone 'media off'
    receiver_has '"event":"media","available":false' || return
    tell_iphone "post Messages 'Grace Hopper' 'A secret of ours'" "track 'Note H' 'Ada Lovelace' Notes 180" 'media on'
    receiver_has 'A secret of ours' || return
    receiver_has '"title":"Note H"' || return
    # The phone comes back with its bond, and the media with it.
    tell_iphone disconnect
    receiver_has "$session" 2 || return
    tell_iphone "track 'Note I' 'Ada Lovelace' Notes 180"
    receiver_has '"title":"Note I"' || return
    kill "$monitor"
    wait "$monitor" 2>/dev/null
    expect_text monitor.out org.bluez.GattCharacteristic1
    expect_no_text monitor.out 'Ada Lovelace'
    expect_no_text monitor.out 'Note'
    expect_no_text monitor.out '41 64 61'
    stop_iphone
    stop_receiver
}

# A keyboard that bluetoothd is connected to is left alone.
at_bluetoothd_beside_a_keyboard() {
    local keyboard address
    mkfifo /run/ancs/commands 2>/dev/null
    exec 3<>/run/ancs/commands
    commands=/run/ancs/commands start keyboard advertise --hci hci-socket:1 --name Keyboard --json
    keyboard=$process
    while_runs keyboard "$keyboard" bluetoothd_has_one || return
    start_receiver || return
    while_runs keyboard "$keyboard" find_keyboard || return
    address=$(address_of_keyboard)
    while_runs keyboard "$keyboard" connect "$address" || return
    sleep 2
    bluetoothctl info "$address" | grep -q 'Paired: no' || problem 'the keyboard was paired'
    bluetoothctl info "$address" | grep -q 'Trusted: no' || problem 'the keyboard was trusted'
    expect_no_text receiver.out '"event":"connected"'
    stop_receiver
    is_connected "$address" || problem 'the keyboard was disconnected'
    expect_no_text keyboard.out '"disconnected"'
    until_so disconnect "$address"
    stop keyboard "$keyboard"
    exec 3>&-
    until_so is_up hci1
}

start_bluetoothd() {
    /usr/libexec/bluetooth/bluetoothd -n "$@" >>/run/logs/bluetoothd.log 2>&1 &
    bluetoothd=$!
}

at_bluetoothd_that_restarts() {
    start_receiver || return
    start_iphone --state /run/ancs/iphone
    receiver_has "$session" || return
    kill -KILL "$(pgrep -x bluetoothd)"
    while_runs receiver "$receiver" has_text receiver.err 'bluetoothd has ended' || return
    start_bluetoothd
    tell_iphone "post Messages 'After the restart'"
    receiver_has "$session" 2 || return
    receiver_has 'After the restart'
    stop_iphone
    stop_receiver
}

at_bluetoothd_switched_off() {
    start_receiver || return
    power false
    while_runs receiver "$receiver" has_text receiver.err 'Bluetooth is off at hci0' || return
    power true
    while_runs receiver "$receiver" has_count receiver.err 'advertising as' 2 || return
    play first-pairing
    receiver_has '"title":"Ada Lovelace"'
    stop_receiver
    until_so is_up hci1
}

at_bluetoothd_unplugged() {
    start_receiver || return
    unplug
    while_runs receiver "$receiver" has_text receiver.err 'bluetoothd has no adapter hci0' || return
    plug_in
    while_runs receiver "$receiver" has_count receiver.err 'advertising as' 2 || return
    play first-pairing
    receiver_has '"title":"Ada Lovelace"'
    stop_receiver
    until_so is_up hci1
}

at_bluetoothd_without_an_adapter() {
    through=$nobody expect_run 3 absent receive --bluez hci7
    expect_text absent.err 'bluetoothd has no adapter hci7'
    power false
    through=$nobody expect_run 3 off receive --bluez hci0
    expect_text off.err 'Bluetooth is off at hci0: "bluetoothctl power on"'
    power true
    until_so is_up hci0
    local switch
    switch=$(grep -lx hci0 /sys/class/rfkill/*/name)
    echo 1 >"${switch%name}soft"
    through=$nobody expect_run 3 blocked receive --bluez hci0
    expect_text blocked.err 'rfkill unblock bluetooth'
    echo 0 >"${switch%name}soft"
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    through=$nobody expect_run 3 missing receive
    expect_text missing.err 'bluetoothd is not running'
    start_bluetoothd
    until_so is_up hci0
    until_so is_up hci1
}

nobody_has_the_name() {
    dbus-send --system --print-reply=literal --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.NameHasOwner string:org.bluez | grep -q false
}

# What takes too long for every run. Scenarios that need a person are left out.
by_name=(every_scenario_at_bluetoothd fifty_first_pairings anything_at_random what_it_costs)

every_scenario_at_bluetoothd() {
    local scenario
    for scenario in ${scenarios:-$(cd "$tests/../../Scenarios" && ls *.json faults/*.json trouble/*.json)}; do
        case $scenario in scenario.schema.json | demo.json | *on-accessory.json | binding.json) continue ;; esac
        start_receiver || return
        start iphone phone --hci hci-socket:1 --scenario "$tests/../../Scenarios/$scenario"
        wait "$process"
        echo "  status $? $scenario: $(tail -n 1 iphone.out)"
        cp iphone.out "iphone.${scenario//\//-}.out"
        cp receiver.err "receiver.${scenario//\//-}.err"
        cp receiver.out "receiver.${scenario//\//-}.out"
        stop_receiver
        until_so is_up hci1
    done
}

fifty_first_pairings() {
    local number
    for number in $(seq 50); do
        start_receiver || return
        start_iphone
        receiver_has '"state":"authorized"' || return
        tell_iphone "post Messages 'Friend $number'"
        receiver_has "Friend $number" || return
        echo "  $number: $(grep -c 'stopped answering' receiver.err) hung"
        stop_iphone
        stop_receiver
    done
}

# Whatever happens in whatever order, the phone is served again. $RANDOM is seeded, and said.
anything_at_random() {
    local round seed=${seed:-$(date +%s)}
    RANDOM=$seed
    echo "  seed $seed"
    # Services that go and come at once are not told by bluetoothd, which keeps their objects: a probe finds
    # out that the subscriptions are gone.
    start_receiver --probe 10 || return
    start_iphone
    receiver_has "$session" || return
    for round in $(seq 25); do
        happen || return
        tell_iphone "post Messages 'Marker $round'"
        receiver_has "\"title\":\"Marker $round\"" || return
        # It may be caught in the middle of something the next time.
        [ $((RANDOM % 2)) = 0 ] || sleep "0.$((RANDOM % 10))"
    done
    [ "$(grep -c 'stopped answering again' receiver.err)" = 0 ] || problem 'it hung for good'
    stop_iphone
    stop_receiver
}

happen() {
    local what=$((RANDOM % 6))
    case $what in
        0) what='bluetoothd is killed'
            kill -KILL "$(pgrep -x bluetoothd)"
            start_bluetoothd ;;
        1) what='the adapter is switched off and on'
            power false
            power true ;;
        2) what='the link ends' && tell_iphone disconnect ;;
        3) what='the service goes and comes' && tell_iphone unpublish publish ;;
        4) what='the receiver is killed'
            kill -KILL "$receiver"
            wait "$receiver" 2>/dev/null
            through=$nobody commands=/run/ancs/receiver.commands \
                start receiver receive --bluez hci0 --name Lab --json --verbose --probe 10
            receiver=$process ;;
        5) what='the subscriptions end and the link with them' && tell_iphone restart ;;
    esac
    echo "  $what"
}

# What a receiver costs, at bluetoothd and with a controller for itself: CPU and resident memory, when the first
# session stands and after 300 notifications more.
what_it_costs() {
    start_receiver || return
    measure "$receiver" bluetoothd
    stop_receiver
    until_so is_up hci1
    until_so nobody_is_known
    rm -rf /run/ancs/iphone /run/ancs/receiver
    start receiver receive --hci hci-socket:0 --name Lab --json --verbose
    receiver=$process
    while_runs receiver "$receiver" has_text receiver.err 'advertising as' || return
    measure "$receiver" hci
    stop receiver "$receiver"
    until_so is_up hci0
    until_so is_up hci1
}

measure() {
    local number before after
    start_iphone
    receiver_has "$session" || return
    for number in $(seq 20); do echo "post Messages 'Early $number' 'Number $number of the day'"; done >&4
    receiver_has '"event":"added"' 20 || return
    before=$(cpu "$1")
    for number in $(seq 300); do echo "post Messages 'Friend $number' 'Number $number of the day'"; done >&4
    receiver_has '"event":"added"' 320 || return
    after=$(cpu "$1")
    echo "  $2: $(((after - before) * 1000 / 300)) thousandths of a tick for a notification, $(grep VmRSS "/proc/$1/status")"
    stop_iphone
}

# User and system time, in ticks of 10 ms.
cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
