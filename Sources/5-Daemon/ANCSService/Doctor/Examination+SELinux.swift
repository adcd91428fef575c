internal import ANCSReceiver
internal import LinuxIO

/// SELinux, whose policies may let bluetoothd end instead of giving texts to one program alone.
extension Examination {
    /// The first day of the repaired policy, 2025-11-04, in seconds since 1970: fedora-selinux/selinux-policy, pull
    /// request 2915. A policy that was written before does not have it; a later one may not have it either.
    private static let repair: Int64 = 1_762_214_400

    var selinux: Finding {
        let selinux = facts.machine.selinux
        let seen = selinux.mode == .absent ? "not in use, or not visible here" : selinux.description
        guard selinux.mode == .enforcing, let policy = selinux.policy, policy.time < Self.repair
        else { return .fine(.selinux, seen) }
        return .note(
            .selinux, seen,
            why: "with policies from before November 2025, bluetoothd may end when it is asked for "
                + "the socket for texts (AcquireNotify)",
            remedy: "update the package selinux-policy")
    }

    /// Empty if nothing is known against the socket for texts.
    var socket: [Finding] {
        switch adapter?.socketEnds {
        case .seen(0), nil: return []
        case .unseen(let reason): return .unseen(.socket, because: reason)
        case .seen(let count):
            let selinux = facts.machine.selinux
            let times = count == 1 ? "once" : "\(count) times"
            let seen = "bluetoothd has ended \(times) when it was asked for the socket for texts"
            let isEnforcing = selinux.mode == .enforcing
            if facts.configuration.values.bluetooth.allowsTextsOnBus {
                return .note(
                    .socket, seen,
                    why: "every user of this machine can read the texts on the system bus",
                    remedy: SocketAdvice.repair(isEnforcing: isEnforcing))
            }
            return .fault(
                .socket, seen, why: "it is not asked again, and phones wait",
                remedy: SocketAdvice.remedy(isEnforcing: isEnforcing))
        }
    }
}

extension SELinux {
    /// Its mode and its policy.
    fileprivate var description: String {
        guard let policy else { return "\(mode.rawValue), policy not visible" }
        let written = CaptureTime(microsecondsSince1970: 0) + .seconds(policy.time)
        return "\(mode.rawValue), \(policy.name) of \(written.text(fractionDigits: 0).prefix(10))"
    }
}
