#!/usr/bin/env bash
# What runs in the guest: a bus, two controllers, bluetoothd, then the cases that `settings` wants, each of which is a
# line of `results`.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 HOME=/root
cd /run/tests || busybox poweroff -f
tests=/run/project/Tests/Kernel
ancs=/run/tests/program/ancs
. ./settings
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
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
make_users_of_the_daemon
dbus-daemon --system --fork --nopidfile >dbus.log 2>&1
btmon -w /run/tests/air.btsnoop >/dev/null 2>&1 &
start_bluetoothd

plug_in_both() {
    plug_in
    until_so is_up hci0
    until_so is_up hci1
}

# Runs one case. One during which btvirt ends, which is not what is tested, is run once more.
run() {
    problems=()
    echo "$1" >running
    SECONDS=0
    "$1"
    is_alive "$btvirt" && return
    echo "  btvirt ended during $1, which is run once more" >>results
    pkill -x ancs
    until_so is_gone hci0
    until_so is_gone hci1
    plug_in_both
    problems=()
    "$1"
}

for case in $wanted; do
    # The guest itself may not start well: its start counts as its first case's.
    [ -n "${btvirt:-}" ] || { echo "$case" >running && plug_in_both; }
    run "$case"
    if [ ${#problems[@]} -eq 0 ]; then
        echo "✔ $case ($SECONDS s)"
    else
        printf '    %s\n' "${problems[@]}"
        echo "✘ $case ($SECONDS s)"
    fi >>results
done 2>>cases.log
echo end >>results
dmesg >>dmesg.log
sync
busybox poweroff -f
