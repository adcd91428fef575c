internal import DBus
/// The calls to a notification server. Desktop Notifications Specification, *D-BUS Protocol*.
///
/// They go to the current owner of the name, not to the name: the identifier of a popup on one server may be
/// another program's popup on the next.
struct DesktopCalls: Sendable {
    static let service = "org.freedesktop.Notifications"
    static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let limitOfStart = Duration.seconds(30)

    // Calls to a server have no limit: while it has stopped, they are in its queue, and it carries them out
    // when it continues. If it ends, the bus answers.

    /// The server's description of itself, as far as its replies have arrived.
    struct Introduction: Sendable {
        var name: String?
        var version = ""
        var capabilities: [String]?
    }

    /// The unique name of the server.
    let owner: String
    private let bus: BusConnection

    init(to owner: String, on bus: BusConnection) {
        self.owner = owner
        self.bus = bus
    }

    /// The signals of the server.
    static var signals: BusMatch { BusMatch(sender: service, path: path, interface: service) }

    /// Asks the bus to start a server; `done` receives the error, or `nil` on success.
    static func start(on bus: BusConnection, done: @escaping @Sendable (BusError?) -> Void) {
        let call = BusCall(service, path, service, "GetServerInformation")
        bus.call(call, within: limitOfStart) { result in
            switch result {
            case .success: done(nil)
            case .failure(let error): done(error)
            }
        }
    }

    /// Requests the name, version and capabilities of the server. A failed request counts as an empty reply.
    func introduce(_ report: @escaping @Sendable (_ change: (inout Introduction) -> Void) -> Void) {
        call("GetCapabilities", []) { result in
            let capabilities = (try? result.get())?.first?.strings ?? []
            report { $0.capabilities = capabilities }
        }
        call("GetServerInformation", []) { result in
            // The name, vendor, version, and specification version.
            let texts = ((try? result.get()) ?? []).map { $0.string ?? "" }
            report { introduction in
                introduction.name = texts.first ?? "an unknown server"
                introduction.version = texts.count > 2 ? texts[2] : ""
            }
        }
    }

    /// Shows a popup; `done` receives its identifier.
    func notify(
        _ popup: DesktopPopup,
        done: @escaping @Sendable (Result<UInt32, DesktopNotifications.PostFailure>) -> Void
    ) {
        call("Notify", popup.arguments) { result in
            switch result {
            case .success(let values):
                guard case .uint32(let id)? = values.first else {
                    return done(.failure(.refused("a reply without an identifier")))
                }
                done(.success(id))
            case .failure(let error): done(.failure(DesktopNotifications.PostFailure(error)))
            }
        }
    }

    /// Asks the server for its name, as it answers that after all earlier calls; `done` is called even if it
    /// refuses.
    func ask(done: @escaping @Sendable () -> Void) {
        call("GetServerInformation", []) { _ in done() }
    }

    /// Closes a popup. The server may no longer know it.
    func close(_ id: UInt32) { call("CloseNotification", [.uint32(id)]) { _ in } }

    /// Closes a popup that a server may leave on the screen, as notification-daemon 3.20 does: it expires first.
    func withdraw(_ id: UInt32) {
        var popup = DesktopPopup(appName: "ancs", icon: "phone", summary: "…")
        (popup.replaces, popup.sound, popup.expiry) = (id, .none, .after(milliseconds: 1))
        notify(popup) { result in
            // The server did not know it any more, and has shown another one.
            if case .success(let other) = result, other != id { close(other) }
        }
        close(id)
    }

    private func call(
        _ member: String, _ arguments: [BusValue], reply: @escaping @Sendable (BusResult) -> Void
    ) {
        let call = BusCall(owner, Self.path, Self.service, member, arguments, startsProgram: false)
        bus.call(call, within: nil, reply: reply)
    }
}

extension DesktopNotifications.PostFailure {
    /// Keeps only the name of the error, because the message may contain text of the popup.
    fileprivate init(_ error: BusError) {
        switch error.name {
        case BusError.noReply, BusError.disconnected, BusError.nameHasNoOwner,
            BusError.serviceUnknown:
            self = .lost
        case let name: self = .refused(name)
        }
    }
}

/// A signal of a notification server.
enum DesktopSignal: Equatable, Sendable {
    case closed(UInt32, DesktopNotifications.ClosingReason)
    case actionInvoked(UInt32, key: String)

    /// Parses a signal; `nil` for other or invalid ones. `ActivationToken` is ignored: it is for programs
    /// with windows.
    init?(_ signal: BusSignal) {
        guard signal.arguments.count == 2, case .uint32(let id) = signal.arguments[0] else {
            return nil
        }
        switch (signal.member, signal.arguments[1]) {
        case ("NotificationClosed", .uint32(let reason)):
            self = .closed(id, DesktopNotifications.ClosingReason(rawValue: reason))
        case ("ActionInvoked", .string(let key)): self = .actionInvoked(id, key: key)
        case _: return nil
        }
    }
}

extension DesktopPopup {
    /// The arguments of `Notify`: `susssasa{sv}i`.
    var arguments: [BusValue] {
        [
            .string(appName), .uint32(replaces), .string(icon), .string(summary), .string(body),
            .strings(actions.flatMap { [$0.key, $0.label] }), .options(hints),
            .int32(expiry.milliseconds),
        ]
    }

    private var hints: [String: BusValue] {
        var hints: [String: BusValue] = [
            "desktop-entry": .string("ancs"), "urgency": .byte(urgency.rawValue),
        ]
        if let category { hints["category"] = .string(category) }
        if isResident { hints["resident"] = .bool(true) }
        switch sound {
        case .ofDesktop: break
        case .named(let name): hints["sound-name"] = .string(name)
        case .file(let path): hints["sound-file"] = .string(path)
        case .none: hints["suppress-sound"] = .bool(true)
        }
        return hints
    }
}

extension DesktopPopup.Expiry {
    fileprivate var milliseconds: Int32 {
        switch self {
        case .ofDesktop: -1
        case .never: 0
        case .after(let milliseconds): milliseconds
        }
    }
}
