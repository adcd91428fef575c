/// What to do where bluetoothd ends instead of handing over the socket for texts (`AcquireNotify`), for people.
package enum SocketAdvice {
    /// bluetoothd has ended for that, and a phone waits. `isEnforcing` says whether SELinux enforces a policy.
    package static func waits(isEnforcing: Bool) -> String {
        "bluetoothd has ended when it was asked for the socket for texts (AcquireNotify), so it is not asked "
            + "again, and the phone's notifications wait: " + remedy(isEnforcing: isEnforcing)
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
