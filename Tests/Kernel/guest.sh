#!/usr/bin/env bash
# What runs in the guest: a bus, two controllers, bluetoothd, then the cases that `settings` wants, each of which is a
# line of `results`. Both are in /run/tests, which is outside, where each read and write is a request to the emulator:
# what the programs write is in the guest's memory.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 HOME=/root
mkdir /run/logs
cd /run/logs || busybox poweroff -f
tests=/run/project/Tests/Kernel
ancs=/run/tests/program/ancs
. /run/tests/settings
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
# Kept in memory, so that a program that starts again is not read, and not translated, again.
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose program /run/tests/program
mkdir -p /dev/pts /dev/shm /run/dbus /run/ancs
mount -t devpts pts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
# Where the program looks for Swift's libraries.
mkdir -p "$libraries"
mount --bind /run/tests/program/libraries "$libraries"
cp "$tests/main.conf" /etc/bluetooth/main.conf
tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
busybox ip link set lo up
# What the kernel needs is loaded, and to look for more takes it seconds.
echo >/proc/sys/kernel/modprobe
. "$tests/cases.sh" 2>>cases.log
# What `pause` reads.
mkfifo /run/ancs/nothing
exec {nothing}<>/run/ancs/nothing
# What the programs write goes outside now and then, for those who want to know why a guest has hung or crashed.
while pause 20; do cp -ru . /run/tests; done &
make_users_of_the_daemon
dbus-daemon --system --fork --nopidfile >dbus.log 2>&1
# As "6.1 5.66".
echo "$(uname -r | cut -d. -f1-2) $(/usr/libexec/bluetooth/bluetoothd --version)" | tee versions >/run/tests/versions
[ -z "$captured" ] || btmon -w air.btsnoop >/dev/null 2>&1 &
start_bluetoothd

plug_in_both() {
    plug_in || return
    until_so is_up hci0
    until_so is_up hci1
}

# Plugs in what a case needs, unless it is there.
plug_in_for() {
    local is_there=''
    [ -z "${btvirt:-}" ] || ! is_alive "$btvirt" || is_there=yes
    case " ${central[*]} " in
        *" $1 "*) [ -n "$is_there" ] && [ -n "$air" ] || plug_in_devices ;;
        *)
            [ -z "$air" ] || { unplug_devices && is_there=''; }
            [ -n "$is_there" ] || plug_in_both
            ;;
    esac
}

# Ends the programs of a case when btvirt ends, which is not what is tested: nothing that the case waits for would
# happen any more.
watch_btvirt() {
    local number now
    while pause 0.5; do
        read -r number 2>/dev/null </run/ancs/btvirt.number || continue
        [ -n "$number" ] && ! is_alive "$number" || continue
        # It was unplugged, or plugged in again, meanwhile.
        read -r now 2>/dev/null </run/ancs/btvirt.number && [ "$number" = "$now" ] || continue
        touch lost
        while sleep 0.2; do pkill -x ancs; done
    done
}

# Runs one case, and again, twice at most, if btvirt ended meanwhile. Fails if it ended each time.
run() {
    local attempt watcher
    for attempt in 1 2 3; do
        problems=()
        echo "$1" >/run/tests/running
        SECONDS=0
        watch_btvirt &
        watcher=$!
        "$1"
        { kill "$watcher" && wait "$watcher"; } 2>/dev/null
        if [ ! -e lost ] && is_alive "$btvirt"; then return 0; fi
        echo "  btvirt ended during $1, attempt $attempt" >>/run/tests/results
        rm -f lost
        until_so no_program_runs
        # What is left of the commands to those programs.
        exec 3>&- 4>&- 5>&- 6>&-
        if [ -n "$air" ]; then unplug_devices; else unplug; fi
        is_running bluetoothd || start_bluetoothd
        plug_in_for "$1" || break
    done
    return 1
}

no_program_runs() { ! pkill -x ancs; }

is_running() { pgrep -x "$1" >/dev/null; }

for case in $wanted; do
    # The guest itself may not start well: its start counts as its first case's.
    echo "$case" >/run/tests/running
    if ! { plug_in_for "$case" && run "$case"; }; then
        echo "✘ $case (not run: btvirt ended again and again)"
    elif [ ${#problems[@]} -eq 0 ]; then
        echo "✔ $case ($SECONDS s)"
    else
        printf '    %s\n' "${problems[@]}"
        echo "✘ $case ($SECONDS s)"
    fi >>/run/tests/results
done 2>>cases.log
echo end >>/run/tests/results
dmesg >>dmesg.log
cp -r . /run/tests
sync
busybox poweroff -f
