internal import ANCS
internal import ANCSKit

/// The phone, in the form that the commands of the prompt use.
struct PromptPhone: Sendable {
    let provider: NotificationProvider
    let apps: BoundApps
    let report: PhoneReport
    let show: @Sendable (PhoneReport.Lines) async -> Void

    func show(_ lines: [String]) async { await show(PhoneReport.Lines(output: lines)) }

    func complain(_ fault: PromptFault) async { await show(report.report(fault: fault.message)) }

    // MARK: What is there

    /// The apps of a typical iPhone, so that accessories find names, each with the category of its
    /// notifications.
    static let usualApps = [
        ("com.apple.mobilephone", "Phone", CategoryID.missedCall),
        ("com.apple.MobileSMS", "Messages", .social), ("com.apple.mobilemail", "Mail", .email),
        ("com.apple.mobilecal", "Calendar", .schedule),
        ("com.apple.reminders", "Reminders", .schedule), ("com.apple.news", "News", .news),
        ("com.apple.Health", "Health", .healthAndFitness), ("com.apple.Maps", "Maps", .location),
    ]

    /// Installs the usual apps.
    func installApps() async {
        for (identifier, name, _) in Self.usualApps {
            guard let app = try? AppIdentifier(identifier) else { continue }
            try? await provider.install(app, displayName: name)
        }
    }

    // MARK: What is meant

    /// An app by its display name or identifier; an identifier need not be installed (S23).
    func app(named name: String) async throws(PromptFault) -> AppIdentifier {
        for app in await provider.apps {
            let displayName = await provider.displayName(of: app)
            if displayName?.lowercased() == name.lowercased() { return app }
        }
        if name.contains("."), let app = try? AppIdentifier(name) { return app }
        throw PromptFault(message: "unknown app '\(name)'; 'apps' lists the known ones")
    }

    func notification(_ number: UInt64) async throws(PromptFault) -> NotificationID {
        if let id = await provider.notifications.first(where: { $0.rawValue == number }) {
            return id
        }
        throw PromptFault(message: "no notification \(number)")
    }

    /// The call with a number; by default, the newest.
    func call(
        _ number: UInt64?, among calls: [NotificationID]
    ) throws(PromptFault) -> NotificationID {
        let id = number == nil ? calls.last : calls.first { $0.rawValue == number }
        guard let id else { throw PromptFault(message: "no such call") }
        return id
    }

    func ringingCall(_ number: UInt64?) async throws(PromptFault) -> NotificationID {
        try call(number, among: await provider.ringingCalls)
    }

    /// The accessories with a number, name or address; by default, those that are connected.
    func accessories(_ name: String?) async throws(PromptFault) -> [AccessoryID] {
        let all = await provider.accessories
        let meant = all.filter { accessory in
            guard let name else { return accessory.isConnected }
            let description = accessory.description
            return name == String(accessory.id.rawValue) || name == description.name
                || [description.address, description.identity].contains(name.uppercased())
        }
        guard meant.isEmpty else { return meant.map(\.id) }
        throw PromptFault(
            message: name.map { "unknown accessory '\($0)'; 'accessories' lists the known ones" }
                ?? "no accessory is connected; name one of those that 'accessories' lists")
    }

    // MARK: What can fail

    /// Changes the notifications or apps of the phone.
    func change(
        _ body: (NotificationProvider) async throws(StoreError) -> Void
    ) async throws(PromptFault) {
        do throws(StoreError) { try await body(provider) } catch {
            throw PromptFault(message: error.text)
        }
    }
}

extension StoreError {
    /// The reason, for users.
    var text: String {
        switch self {
        case .tooManyNotifications(let limit): "the phone holds at most \(limit) notifications"
        case .tooManyApps(let limit): "the phone holds at most \(limit) apps"
        case .textTooLong(let octets, let limit):
            "a text of \(octets) octets is too long; the limit is \(limit)"
        case .unknownNotification(let id): "no notification \(id.rawValue)"
        case .unknownApp(let app): "\(app) is not installed"
        }
    }
}
