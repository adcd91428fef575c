internal import BlueZ

/// What to do where bluetoothd does not hand over the socket for texts (`AcquireNotify`), for people.
package enum SocketAdvice {
    /// bluetoothd has ended for that, and a phone waits. `isEnforcing` says whether SELinux enforces a policy.
    package static func waits(isEnforcing: Bool) -> String {
        "bluetoothd has ended when it was asked for the socket for texts (AcquireNotify), so it is not asked "
            + "again, and the phone's notifications wait: " + remedy(isEnforcing: isEnforcing)
    }

    /// bluetoothd has ended for that, and a Central's subscriptions do without.
    package static func broadcasts(isEnforcing: Bool) -> String {
        "bluetoothd has ended when it was asked for a socket for values (AcquireNotify), so that they come over the "
            + "system bus, where every user of this machine can read them: "
            + repair(isEnforcing: isEnforcing)
    }

    /// bluetoothd has refused with this error, and notifications come without texts.
    static func refused(_ error: BusError) -> String {
        // If another program has it, that is an event of its own. A broadcast is refused too.
        guard !error.isAcquired else {
            return "notifications come without texts: bluetoothd keeps the socket for them for an "
                + "earlier request, which it never answered: restart bluetoothd "
                + "(\"sudo systemctl restart bluetooth\")"
        }
        let (reason, remedy) =
            switch error.name {
            // The same characteristic is broadcast for another program. src/gatt-client.c
            case "org.bluez.Error.InProgress":
                (
                    "another program on this machine has them sent over the system bus, where "
                        + "every user can read them",
                    "stop that program, and turn the phone's Bluetooth off and on"
                )
            case _:
                (
                    "bluetoothd refuses the socket for them (AcquireNotify: \(error.text))",
                    "\"journalctl -u bluetooth\" may show why"
                )
            }
        return "notifications come without texts: \(reason): \(remedy); \(onBus)"
    }

    /// Both ways out.
    package static func remedy(isEnforcing: Bool) -> String {
        repair(isEnforcing: isEnforcing) + "; " + onBus
    }

    /// What makes bluetoothd hand the socket over.
    package static func repair(isEnforcing: Bool) -> String {
        guard isEnforcing else {
            return
                "\"coredumpctl info bluetoothd\" may show why it ended; it is asked again after 15 "
                + "minutes, or when it is another version"
        }
        return
            "SELinux is the likely cause, with a policy from before November 2025: update the package "
            + "selinux-policy (\"sudo ausearch -m avc -c dbus-broker\", or \"-c bluetoothd\", shows what "
            + "was refused)"
    }

    private static let onBus =
        "'texts-on-bus = true' under [bluetooth], or 'ancs receive --texts-on-bus', has them sent over the "
        + "system bus instead, where every user of this machine can read them"
}
