package import DBus

/// A notification server that writes down what it is asked, and answers with the next number.
package final class NotificationServerDouble: Sendable {
    package static let name = "org.freedesktop.Notifications"
    package static let path: ObjectPath = "/org/freedesktop/Notifications"

    package let peer: TestPeer
    /// The arguments of `Notify`, and the number of `CloseNotification`.
    package let posts = Box<[[BusValue]]>([])
    package let closings = Box<[UInt32]>([])
    /// What `Notify` is answered with in place of a number.
    package let refusal = Box<BusError?>(nil)
    /// Whether it has stopped: what it is asked waits.
    package let hasStopped = Box<Bool>(false)
    private let waiting = Box<[(BusMethodCall, BusReply)]>([])

    /// A server that has its name.
    package init(
        on bus: TestBus, capabilities: [String] = ["actions", "body", "body-markup"]
    ) async throws {
        peer = try await bus.connect()
        let (hasStopped, waiting) = (hasStopped, waiting)
        let answer = answer(capabilities)
        await peer.export(Self.path) { call, reply in
            if hasStopped.value { waiting.value.append((call, reply)) } else { answer(call, reply) }
        }
        try await peer.own(Self.name)
    }

    private func answer(
        _ capabilities: [String]
    ) -> @Sendable (BusMethodCall, BusReply) -> Void {
        let (posts, closings, refusal) = (posts, closings, refusal)
        return { call, reply in
            switch call.member {
            case "GetServerInformation":
                reply.succeed(["double", "tests", "1.0", "1.2"].map { .string($0) })
            case "GetCapabilities": reply.succeed([.strings(capabilities)])
            case "Notify":
                posts.value.append(call.arguments)
                if let error = refusal.value { return reply.fail(error) }
                let replaced = call.arguments[1].integer ?? 0
                let number = replaced == 0 ? posts.value.count : replaced
                reply.succeed([.uint32(UInt32(number))])
            case "CloseNotification":
                if case .uint32(let id)? = call.arguments.first { closings.value.append(id) }
                // As servers do that do not know the number.
                reply.fail(BusError(BusError.failed, "no such notification"))
            case _: reply.fail(BusError(BusError.unknownMethod))
            }
        }
    }

    /// The members of the calls that wait.
    package var waitingCalls: [String] { waiting.value.map(\.0.member) }

    /// It continues after it had stopped, and answers what waits, in order.
    package func proceed() async {
        let answer = answer([])
        let calls = waiting.value
        waiting.value = []
        hasStopped.value = false
        await peer.run { _ in for (call, reply) in calls { answer(call, reply) } }
    }

    package func emit(
        _ member: String, _ arguments: [BusValue], from other: TestPeer? = nil
    ) async throws {
        try await (other ?? peer).emit(BusSignal(Self.path, Self.name, member, arguments))
    }

    /// It ends, and the bus says so. Its name is free when this returns: of a connection that closed, the bus would
    /// notice only after it has answered others.
    package func end() async {
        await peer.bus("ReleaseName", [.string(Self.name)])
        await peer.run { $0.close() }
    }
}
