#!/bin/sh
# A program on the session bus: lists the phones and notifications of the daemon, mutes an app and opens pairing.
set -eu
root=/org/swift_ancs/ANCS1
call() {
    path=$1 method=$2
    shift 2
    dbus-send --session --print-reply --dest=org.swift_ancs.ANCS1 "$path" "$method" "$@"
}
call $root org.freedesktop.DBus.ObjectManager.GetManagedObjects
call $root org.freedesktop.DBus.Properties.Get string:org.swift_ancs.Manager1 string:PairingWindow
phone=$(call $root org.freedesktop.DBus.ObjectManager.GetManagedObjects | grep -oE "$root/phone_[0-9a-z_]+" | head -n 1)
for property in Digest Name State Advice Counts Link Paired Keys; do
    call "$phone" org.freedesktop.DBus.Properties.Get string:org.swift_ancs.Phone1 string:$property
done
call $root org.swift_ancs.Manager1.List uint32:0
call $root org.swift_ancs.Manager1.Apps
call $root org.swift_ancs.Manager1.Mute string:com.example.news string:1h
call $root org.swift_ancs.Manager1.Mutes
call $root org.swift_ancs.Manager1.Sinks
call $root org.swift_ancs.Manager1.PairingSteps uint32:0
call $root org.swift_ancs.Manager1.OpenPairingWindow uint32:5
call $root org.swift_ancs.Manager1.ClosePairingWindow
