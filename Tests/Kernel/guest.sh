#!/usr/bin/env bash
# What runs in the guest: a bus, two controllers, bluetoothd, then the cases.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 HOME=/root
cd /run/tests || busybox poweroff -f
. ./settings
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /run/dbus /run/ancs
mount -t devpts pts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
# A state of this machine's own must not be seen.
mkdir -p /var/lib/bluetooth
mount -t tmpfs -o mode=700 bluetooth /var/lib/bluetooth
mkdir -p /etc/bluetooth
cp "$tests/main.conf" /etc/bluetooth/main.conf
tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
busybox ip link set lo up
# What the kernel needs is loaded, and to look for more in this machine's files takes it seconds.
echo >/proc/sys/kernel/modprobe
. "$tests/serve.sh"
make_users_of_the_daemon
dbus-daemon --system --fork --nopidfile >dbus.log 2>&1
btmon -w /run/tests/air.btsnoop >/dev/null 2>&1 &
/usr/libexec/bluetooth/bluetoothd -n >bluetoothd.log 2>&1 &
. "$tests/cases.sh" >>results 2>cases.log
dmesg >>dmesg.log
sync
busybox poweroff -f
