internal import ANCSEvents
internal import DBus
public import Octets

// Whether bluetoothd may be asked for the socket on which texts come.
extension BlueZAccessory {
    /// How often SELinux is looked at while a phone waits for a change.
    static let selinuxInterval = Duration.seconds(60)

    // MARK: What happened

    /// What earlier runs of this program have kept. Call it before the owner of the name is reported.
    public mutating func remembered(_ ends: [DaemonEnds], at now: MonotonicInstant) {
        sockets.remember(ends, at: now)
    }

    /// What SELinux does: in reply to ``Output/readSELinux``, or unasked.
    public mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant) {
        self.selinux = selinux
        settle(at: now)
    }

    mutating func noteReply(
        to call: CallID, _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        if sockets.replied(to: call, result, at: now) {
            output(.remember(sockets.ends(at: now)))
        }
    }

    // MARK: What follows

    /// A link has ended: bluetoothd must not keep a socket that was asked for there.
    mutating func releaseSockets(of device: ObjectPath) {
        for characteristic in sockets.linkEnded(to: device, under: circumstances) {
            _ = call(
                .characteristic(characteristic, "StopNotify"), for: .nothing, within: .seconds(5))
        }
    }

    package var circumstances: DaemonCircumstances {
        DaemonCircumstances(
            modalias: adapter.flatMap { tree.adapters[$0]?.modalias } ?? "", selinux: selinux)
    }

    func route(at now: MonotonicInstant) -> PhoneLink.Route {
        if sockets.allowsSockets(under: circumstances, at: now) { return .socket }
        return configuration.allowsTextsOnBus ? .bus : .closed
    }

    mutating func updateRoutes(at now: MonotonicInstant) {
        guard isReady, !phones.isEmpty else { return }
        let route = route(at: now)
        if route != .closed { hasReportedBar = false }
        for index in phones.indices { phones[index].link.routeChanged(to: route, at: now) }
    }

    mutating func noteBarredPhones(at now: MonotonicInstant) {
        guard phones.contains(where: \.link.isBarred) else {
            readsSELinuxAt = nil
            return
        }
        readsSELinuxAt = readsSELinuxAt ?? now + Self.selinuxInterval
        guard !exchange(&hasReportedBar, with: true) else { return }
        report(.socketsEndDaemon(isEnforcing: selinux.isEnforcing))
    }

    /// When a phone that waits may have a chance.
    var barDeadline: MonotonicInstant? {
        guard let readsSELinuxAt else { return nil }
        return .earliest(readsSELinuxAt, sockets.nextChance(under: circumstances))
    }

    mutating func readSELinuxAgain(at now: MonotonicInstant) {
        guard let instant = readsSELinuxAt, instant <= now else { return }
        readsSELinuxAt = now + Self.selinuxInterval
        output(.readSELinux)
    }
}
