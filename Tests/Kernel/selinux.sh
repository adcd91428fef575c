# bluetoothd ends when it is asked for the socket for texts, sourced by cases.sh: socketpair.c is preloaded. It starts
# again each time, as systemd and the bus would have it.

selinux=(at_bluetoothd_that_selinux_ends at_bluetoothd_that_ends_twice)

# Builds what is preloaded. run.sh calls it, on the machine outside.
build_preloaded() {
    local compiler
    compiler=$(command -v cc || command -v clang) || return
    "$compiler" -shared -fPIC -O2 -o "$1/socketpair.so" "$tests/socketpair.c"
}

start_ending_bluetoothd() {
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    : >ends
    touch /run/ancs/ending
    while [ -e /run/ancs/ending ]; do
        LD_PRELOAD=/run/tests/program/socketpair.so /usr/libexec/bluetooth/bluetoothd -n \
            >>/run/logs/bluetoothd.log 2>&1
        echo "status $?" >>ends
    done &
    until_so is_up hci0
}

stop_ending_bluetoothd() {
    rm /run/ancs/ending
    kill -KILL "$(pgrep -x bluetoothd)"
    until_so nobody_has_the_name
    start_bluetoothd
    until_so is_up hci0
    until_so is_up hci1
}

expect_ends() { [ "$(wc -l <ends)" = "$1" ] || problem "$2: bluetoothd has ended $(wc -l <ends) times, not $1"; }

# SELinux enforces a policy, as far as can be seen.
enforce() {
    mount -t tmpfs fs /sys/fs
    mkdir -p /sys/fs/selinux /etc/selinux/targeted/policy
    echo 1 >/sys/fs/selinux/enforce
    echo policy >/etc/selinux/targeted/policy/policy.33
}

# What is kept belongs to nobody.
make_state() {
    rm -rf /run/ancs/receiver
    mkdir -m 700 /run/ancs/receiver
    chown 65534:65534 /run/ancs/receiver
}

# The receiver starts again, and knows what it has kept.
restart_receiver() {
    stop_receiver
    exec 5<>/run/ancs/receiver.commands
    through=$nobody commands=/run/ancs/receiver.commands \
        start receiver receive --bluez hci0 --name Lab --json --verbose "$@"
    receiver=$process
}

connected='"event":"connected"'

# Runs what is to be seen, and sets the guest right again whatever that is.
with_ending_bluetoothd() {
    make_state
    start_ending_bluetoothd
    "$@"
    stop_ending_bluetoothd
}

at_bluetoothd_that_selinux_ends() {
    enforce
    with_ending_bluetoothd one_end_under_selinux
    umount /sys/fs
    rm -r /etc/selinux
}

one_end_under_selinux() {
    local before
    start_receiver || return
    start_iphone --state /run/ancs/iphone
    while_runs receiver "$receiver" has_text receiver.err 'bluetoothd has ended; waiting' || return
    while_runs receiver "$receiver" has_text receiver.err 'SELinux is the likely cause' || return
    expect_ends 1 'when the phone is back'
    before=$(count receiver.out "$connected")
    for _ in 1 2 3; do
        tell_iphone disconnect
        before=$((before + 1))
        receiver_has "$connected" "$before" || return
    done
    expect_ends 1 'after three connections'
    expect_no_text receiver.out "$session"
    [ "$(stat -c '%a %U' /run/ancs/receiver/bluetoothd.json)" = '600 nobody' ] || problem 'what is kept is not private'

    restart_receiver
    while_runs receiver "$receiver" has_text receiver.err 'SELinux is the likely cause' || return
    tell_iphone disconnect
    receiver_has "$connected" 2 || return
    expect_ends 1 'after a restart of ancs'

    $nobody "$ancs" doctor --state /run/ancs/receiver >doctor.out 2>doctor.err
    expect_text doctor.out 'enforcing, targeted/policy.33 of'
    expect_text doctor.out 'bluetoothd has ended once when it was asked for the socket for texts'

    restart_receiver --texts-on-bus
    receiver_has "$session" || return
    tell_iphone "post Messages 'Over the bus'"
    receiver_has 'Over the bus' || return
    expect_text receiver.err 'other users of this machine can read the notifications'
    stop_iphone
    stop_receiver
    expect_ends 1 'with the texts on the bus'
}

# Without SELinux the first end may be chance.
at_bluetoothd_that_ends_twice() { with_ending_bluetoothd two_ends_without_selinux; }

two_ends_without_selinux() {
    start_receiver || return
    start_iphone --state /run/ancs/iphone
    while_runs receiver "$receiver" has_text receiver.err 'it is asked again after 15 minutes' || return
    expect_no_text receiver.err SELinux
    expect_ends 2 'when it is not asked again'
    restart_receiver
    while_runs receiver "$receiver" has_text receiver.err 'it is asked again after 15 minutes' || return
    tell_iphone disconnect
    receiver_has "$connected" 2 || return
    stop_iphone
    stop_receiver
    expect_ends 2 'after a restart of ancs'
}
