# The daemon of a whole machine, sourced by cases.sh: it runs as a user of its own at bluetoothd's hci0, and three
# users of the machine try to ask it.

serving=(the_machines_daemon_is_for_its_group)

# The users, and the policy that Packaging has for the system's bus. guest.sh calls it before the bus starts.
make_users_of_the_daemon() {
    printf '%s\n' ancs:x:990:990::/:/bin/false ada:x:991:991::/:/bin/false bob:x:992:992::/:/bin/false >>/etc/passwd
    printf '%s\n' ancs:x:990:ada ada:x:991: bob:x:992: >>/etc/group
    mkdir -p /etc/dbus-1/system.d
    cp "$tests/../../Packaging/dbus-1/org.swift_ancs.ANCS1.conf" /etc/dbus-1/system.d/
}

# What a user may do who has no privileges but to read this machine's files, which belong to another one.
as_user='setpriv --bounding-set=-all,+dac_read_search --inh-caps=-all,+dac_read_search
    --ambient-caps=-all,+dac_read_search'
as_daemon="$as_user --reuid=990 --regid=990 --groups=990"
as_ada="$as_user --reuid=991 --regid=991 --groups=991,990"
as_bob="$as_user --reuid=992 --regid=992 --groups=992"

the_machines_daemon_is_for_its_group() {
    until_so nobody_is_known
    rm -rf /run/ancs/iphone
    mkdir -p /run/ancs/daemon
    chown 990:990 /run/ancs/daemon
    printf '[bluetooth]\nname = "Lab"\nadapter = "bluez:hci0"\n' >/run/ancs/serve.toml
    $as_bob dbus-monitor --system "type='signal',sender='org.swift_ancs.ANCS1'" >bob.signals 2>/dev/null &
    local bob=$!
    through=$as_daemon start daemon serve --system --config /run/ancs/serve.toml
    local daemon=$process
    while_runs daemon "$daemon" has_text daemon.err 'on the bus as' || return

    start_iphone --io yesno
    mkfifo /run/ancs/ada.commands
    exec 6<>/run/ancs/ada.commands
    : >ada.out
    $as_ada "$ancs" pair --system </run/ancs/ada.commands >ada.out 2>ada.err &
    local ada=$!
    while_runs ada "$ada" has_text ada.out 'yes or no:' || return
    while_runs iphone "$iphone" has_text iphone.out '"ask":"confirm"' || return
    echo yes >&6
    tell_iphone yes
    wait "$ada"
    expect_status 0 $? ada

    tell_iphone "post Messages 'Ada Lovelace' 'Only for the group'"
    until_so ada_lists 'Only for the group'
    $as_bob "$ancs" list --system >bob.out 2>bob.err
    expect_status 3 $? bob
    expect_text bob.err "ask its administrator to add you to the group 'ancs'"
    "$ancs" status --system >root.out 2>root.err
    expect_status 0 $? root
    $as_bob dbus-send --system --print-reply --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.RequestName string:org.swift_ancs.ANCS1 uint32:0 >bob.out 2>bob.err &&
        problem 'bob took the name of the daemon'
    expect_text bob.err 'AccessDenied'

    stop_iphone
    stop daemon "$daemon"
    exec 6>&-
    kill "$bob"
    expect_no_text bob.signals org.swift_ancs
    expect_no_text daemon.err 'Only for the group'
}

ada_lists() { $as_ada "$ancs" list --system 2>/dev/null | grep -qF -- "$1"; }
