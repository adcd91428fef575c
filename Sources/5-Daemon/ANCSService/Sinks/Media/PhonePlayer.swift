internal import AMS
internal import DBus

/// The player of a phone as a player of the session bus. Each has a connection of its own, because all players have the
/// same path. On the loop's thread only.
final class PhonePlayer: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let digest: String
    private let control: any ServiceControl
    private let bus: BusConnection
    private(set) var view: PlayerView
    /// What was said last, of the interfaces by their names.
    private var reported: [String: [BusValue: BusValue]] = [:]

    /// A player that is on the bus until ``close()``; `onEnd` is called if the bus goes, or does not take it.
    init(
        _ phone: PhoneName, _ state: MediaState, control: any ServiceControl,
        at place: BusConnection.Bus, onEnd: @escaping @Sendable (_ reason: String) -> Void
    ) throws(IOError) {
        (digest, self.control) = (phone.digest, control)
        view = PlayerView(phone.nameForPeople, state)
        bus = try BusConnection(place, on: control.loop)
        bus.open { onEnd($0.message) }
        bus.export(
            MPRIS.path,
            introspection: BusInterface.playerRoot.introspection + BusInterface.player.introspection
        ) { [weak self] call, reply in self?.answer(call, reply) }
        // The current values need no signal: a client reads them when it finds the name.
        _ = (changes(.playerRoot), changes(.player))
        bus.requestName(MPRIS.prefix + "ancs.phone_" + digest) { result in
            switch result {
            case .success(.owned): break
            case .success(.taken): onEnd("another program shows the player of this phone")
            case .failure(let error): onEnd(error.message)
            }
        }
    }

    /// Its name on the bus that no other program has; `nil` until it has one.
    var owner: String? { bus.uniqueName }
    var now: MonotonicInstant { control.loop.now }

    func close() { bus.close() }

    /// The phone reports something else.
    func update(_ phone: PhoneName, _ state: MediaState) {
        let place = view.update(phone.nameForPeople, state, at: now)
        for (name, values) in [
            (MPRIS.root, changes(.playerRoot)), (MPRIS.player, changes(.player)),
        ] where !values.isEmpty {
            bus.reportChange(MPRIS.path, name, .dictionary(values, key: "s", value: "v"))
        }
        if place != nil {
            bus.report(MPRIS.path, MPRIS.player, "Seeked", [.int64(view.position(at: now))])
        }
        for step in view.steps(at: now) { send(step) { _ in } }
    }

    /// The properties of an interface that are others than was said last.
    private func changes(_ table: BusInterface<PhonePlayer>) -> [BusValue: BusValue] {
        let values = table.properties(of: self, forSignal: true).dictionary ?? [:]
        let earlier = exchange(&reported[table.name], with: values) ?? [:]
        return values.filter { earlier[$0.key] != $0.value }
    }

    private func answer(_ call: BusMethodCall, _ reply: BusReply) {
        let isOfRoot =
            call.interface == MPRIS.root
            || call.interface == MPRIS.properties && call.arguments.first?.string == MPRIS.root
        (isOfRoot ? BusInterface.playerRoot : .player).answerAny(call, at: self, reply)
    }

    // MARK: Commands

    func send(_ command: RemoteCommandID?, _ reply: @escaping BusInterface<PhonePlayer>.Reply) {
        guard let command else {
            return reply(
                .failure(
                    ServiceError(.actionUnavailable, "the phone's player does not offer this now")))
        }
        control.send(command, to: digest) { reply($0.map { [] }) }
    }

    /// Begins to reach a value.
    func aim(_ kind: PlayerGoal.Kind, at target: Int) {
        if let step = view.aim(kind, at: target, now) { send(step) { _ in } }
    }
}
