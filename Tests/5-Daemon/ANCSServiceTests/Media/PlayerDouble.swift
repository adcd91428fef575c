import DBus
import DBusTestKit

/// A player of the session bus.
final class PlayerDouble: Sendable {
    static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    static let interface = "org.mpris.MediaPlayer2.Player"

    let peer: TestPeer
    let status: Box<String>
    /// What it was asked to do, but for its properties.
    let calls = Box<[String]>([])
    /// Whether it takes its calls, and answers none.
    let isHung = Box(false)
    private let waiting = Box<[(BusMethodCall, BusReply)]>([])

    /// A player with these names. One that is not there has no object.
    init(
        on bus: TestBus, _ names: String..., status: String = "Playing", isThere: Bool = true
    ) async throws {
        peer = try await bus.connect()
        self.status = Box(status)
        if isThere {
            await peer.export(Self.path) { [self] call, reply in
                if isHung.value { waiting.value.append((call, reply)) } else { answer(call, reply) }
            }
        }
        for name in names { try await peer.own("org.mpris.MediaPlayer2." + name) }
    }

    private func answer(_ call: BusMethodCall, _ reply: BusReply) {
        switch call.member {
        case "Get" where call.arguments.last?.string == "PlaybackStatus":
            reply.succeed([.variant(.string(status.value))])
        case "Play", "Pause":
            calls.value.append(call.member)
            reply.succeed()
            set(call.member == "Play" ? "Playing" : "Paused")
        case _: reply.fail(BusError(BusError.unknownMethod))
        }
    }

    /// On its loop.
    private func set(_ word: String) {
        status.value = word
        try? peer.connection.emit(Self.change(["PlaybackStatus": .string(word)]))
    }

    /// Somebody uses it.
    func use(_ word: String) async { await peer.run { [self] _ in set(word) } }

    /// It continues after it had hung.
    func proceed() async {
        isHung.value = false
        await peer.run { [self] _ in
            for (call, reply) in waiting.value { answer(call, reply) }
            waiting.value = []
        }
    }

    static func change(_ values: [String: BusValue]) -> BusSignal {
        BusSignal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .options(values), .strings([])])
    }
}
