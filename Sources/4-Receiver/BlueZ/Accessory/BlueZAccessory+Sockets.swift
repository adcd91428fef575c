internal import ANCSEvents
internal import DBus
package import Octets

// Whether bluetoothd may be asked for the socket on which texts come.
extension BlueZAccessory {
    /// How often SELinux is looked at while a phone waits for a change.
    static let selinuxInterval = Duration.seconds(60)

    // MARK: What happened

    /// What SELinux does: in reply to ``Output/readSELinux``, or unasked.
    package mutating func selinuxRead(_ selinux: SELinuxState, at now: MonotonicInstant) {
        desk.selinux = selinux
        settle(at: now)
    }

    // MARK: What follows

    func route(at now: MonotonicInstant) -> PhoneLink.Route {
        if desk.sockets.allowsSockets(under: circumstances, at: now) { return .socket }
        return configuration.allowsTextsOnBus ? .bus : .closed
    }

    mutating func updateRoutes(at now: MonotonicInstant) {
        guard isReady, !phones.isEmpty else { return }
        let route = route(at: now)
        if route != .closed { hasReportedBar = false }
        for index in phones.indices { phones[index].link.routeChanged(to: route, at: now) }
    }

    mutating func noteBarredPhones(at now: MonotonicInstant) {
        guard phones.contains(where: { $0.link.state == .barred }) else {
            readsSELinuxAt = nil
            return
        }
        readsSELinuxAt = readsSELinuxAt ?? now + Self.selinuxInterval
        guard !exchange(&hasReportedBar, with: true) else { return }
        report(.socketsEndDaemon(isEnforcing: desk.selinux.isEnforcing))
    }

    /// When a phone that waits may have a chance.
    var barDeadline: MonotonicInstant? {
        guard let readsSELinuxAt else { return nil }
        return .earliest(readsSELinuxAt, desk.sockets.nextChance(under: circumstances))
    }

    mutating func readSELinuxAgain(at now: MonotonicInstant) {
        guard let instant = readsSELinuxAt, instant <= now else { return }
        readsSELinuxAt = now + Self.selinuxInterval
        output(.readSELinux)
    }
}
