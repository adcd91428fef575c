internal import Terminal
internal import AccessoryConformance
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import JSONText

/// How the prompt of `ancs phone` reports events: as JSON Lines, or as text for users. Everything that came
/// over the air is made safe for a terminal.
struct PhoneReport: Sendable {
    let isJSON: Bool
    let isVerbose: Bool
    let isColored: Bool
    let name: String

    /// The lines of a report.
    struct Lines: Hashable, Sendable {
        /// For standard output.
        var output: [String] = []
        /// For standard error.
        var diagnostics: [String] = []
    }

    /// The lines of an event. `notification` looks up notifications, `name` the names of accessories.
    func report(
        of event: ProviderEvent, notification: (NotificationID) -> ProviderNotification?,
        name: (AccessoryID) -> String
    ) -> Lines {
        if isJSON { return Lines(output: [event.json(notification).text]) }
        if case .device(.warning(let warning)) = event {
            return Lines(diagnostics: [diagnostic(warning.message)])
        }
        let lines =
            self.lines(of: event, notification)
            ?? event.accessory.flatMap { id in
                text(of: event).map { [stage("\(TerminalText.visible(name(id))): \($0)")] }
            }
        if let lines { return Lines(output: lines) }
        return Lines()
    }

    /// The lines of an event of an app's binding.
    func report(of event: BoundApps.Event) -> Lines {
        if isJSON { return Lines(output: [event.json.text]) }
        guard let words = event.text else { return Lines() }
        return Lines(output: [stage(TerminalText.visible("\(event.app) \(words)"))])
    }

    /// The line for something that cannot be done.
    func report(fault text: String) -> Lines { Lines(diagnostics: [diagnostic(text)]) }

    private func diagnostic(_ text: String) -> String { "ancs: \(TerminalText.visible(text))" }

    // MARK: The phone

    private func lines(
        of event: ProviderEvent, _ notification: (NotificationID) -> ProviderNotification?
    ) -> [String]? {
        switch event {
        case .device(let event): lines(of: event)
        case .notification(.removed, let id): ["- \(id.rawValue)"]
        case .notification(let change, let id):
            notification(id).map { lines(of: $0, id, change == .added ? "+" : "~") } ?? []
        case .peer, .session: nil
        }
    }

    private func lines(of event: DeviceEvent) -> [String] {
        switch event {
        case .listening(let place):
            [stage("waiting for a controller at \(TerminalText.visible(place))")]
        case .ready: [stage("\(TerminalText.visible(name)) looks for accessories")]
        case .resetting(let failure): [stage(TerminalText.visible(failure.message))]
        case .missed(let count): [stage(droppedText(count) + ": too slow")]
        case .scanning(let isScanning) where isVerbose:
            [stage(isScanning ? "scanning" : "not scanning")]
        // A phone does not advertise, and its window is always open; warnings go to standard error.
        case .scanning, .advertising, .resumed, .pairingWindow, .warning: []
        }
    }

    /// A notification as the phone shows it.
    func lines(of notification: ProviderNotification, _ id: NotificationID, _ mark: String)
        -> [String]
    {
        func text(_ octets: [UInt8]) -> String {
            TerminalText.visible(String(decoding: octets, as: UTF8.self))
        }
        var heading = "\(mark) \(id.rawValue) · \(notification.categoryID) · "
        heading += TerminalText.visible(notification.appIdentifier.description)
        if !notification.title.isEmpty { heading += " · " + text(notification.title) }
        if notification.isImportant { heading += " !" }
        var lines = [TerminalPaint(isColored: isColored)(heading, .bold)]
        for part in [notification.subtitle, notification.message] where !part.isEmpty {
            lines.append("    " + text(part))
        }
        var details: [String] = []
        if let date = notification.date { details.append(date.description) }
        if let label = notification.positiveActionLabel { details.append("✓ " + text(label)) }
        if let label = notification.negativeActionLabel { details.append("✗ " + text(label)) }
        if !details.isEmpty { lines.append("    " + details.joined(separator: " · ")) }
        return lines
    }

    // MARK: Accessories

    /// A description of an event of an accessory; `nil` for events that are not reported.
    private func text(of event: ProviderEvent) -> String? {
        switch event {
        case .peer(_, let event): text(of: event)
        case .session(_, let event): text(of: event)
        case .device, .notification: nil
        }
    }

    private func text(of event: PeerEvent) -> String? {
        switch event {
        case .discovered: isVerbose ? "is on air" : nil
        case .connectingFailed(let error): isVerbose ? "no connection: \(error.message)" : nil
        case .connected: "connected"
        case .secured(let protection): isVerbose ? text(of: protection) : nil
        case .pairing(let request): request.message(peer: "accessory")
        case .paired(_, let isBonded, _): isBonded ? "paired" : "paired without bonding"
        case .bondRestored: "encrypted with the bond"
        case .securityFailed(let failure): failure.message
        case .accessDenied(let handle, let code):
            isVerbose ? "may not access handle \(AccessRefusal(handle, code).text)" : nil
        case .mtuChanged(let mtu): isVerbose ? "ATT_MTU is \(mtu)" : nil
        case .disconnected(let reason): "disconnected: \(reason.message)"
        // A phone names its accessories by what they advertise, and lets each pair.
        case .named, .linkParameters, .pairingWithdrawn, .identified, .pairingRefused,
            .keyTrouble:
            nil
        }
    }

    private func text(of event: ProviderEvent.SessionEvent) -> String? {
        switch event {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            isVerbose
                ? subscriptionText(isSubscribed, SubscribedCharacteristic(characteristic).text)
                : nil
        case .serviceChangedSubscription(let isSubscribed):
            isVerbose
                ? subscriptionText(isSubscribed, SubscribedCharacteristic.serviceChanged.text)
                : nil
        case .attributeRead(let attribute): isVerbose ? "read \(attribute.text)" : nil
        case .attributeSubscription(let attribute, let isSubscribed):
            isVerbose ? subscriptionText(isSubscribed, attribute.text) : nil
        case .commandWithoutResponse(let octets):
            "wrote \(counted(octets.count, "octet")) without a response, which the phone ignores"
        case .started: "receives notifications"
        case .ended: "no longer receives notifications"
        case .announced(let id, let source):
            isVerbose
                ? "notified: \(source.eventID) \(id.rawValue) as uid \(source.notificationUID.rawValue)"
                : nil
        case .command(let command): isVerbose ? text(of: command) : nil
        case .answered(let command, let outcome): text(of: command, outcome)
        case .action(let request, let isPerformed):
            "\(request.actionID) action on \(request.notificationID.rawValue)"
                + (isPerformed ? "" : " failed")
        }
    }

    private func text(of protection: LinkProtection) -> String {
        guard protection.isEncrypted else { return "is no longer encrypted" }
        return
            "is encrypted, \(protection.isAuthenticated ? "protected" : "not protected") against "
            + "a man in the middle"
    }

    private func text(of command: ProviderSession.Command) -> String {
        switch command {
        case .malformed(let octets, _): "wrote \(counted(octets.count, "octet")), not a command"
        case .decoded(.getNotificationAttributes(let command)):
            "requests \(command.attributes.map(\.id.description).joined(separator: ", ")) "
                + "of uid \(command.notificationUID.rawValue)"
        case .decoded(.getAppAttributes(let command)):
            "requests the name of \(TerminalText.visible(command.appIdentifier.description))"
        case .decoded(.performNotificationAction(let command)):
            "requests the \(command.actionID) action of uid \(command.notificationUID.rawValue)"
        }
    }

    /// A refused access is always reported.
    private func text(
        of command: ProviderSession.Command, _ outcome: ProviderSession.Outcome
    ) -> String? {
        switch outcome {
        case .refused(let error):
            "\(text(of: command)): refused, \(error.code.nameWithCode)"
        case .sent(let octets): isVerbose ? "was answered with \(counted(octets, "octet"))" : nil
        case .performed: nil
        case .withheld, .ignored, .abandoned:
            isVerbose ? "was not answered: \(text(of: command))" : nil
        }
    }

    // MARK: Lists

    /// The accessories, a line each.
    func lines(of accessories: [Accessory]) -> [String] {
        if isJSON {
            let list = JSONValue.array(accessories.map(\.json))
            return [JSONValue.object([.init("event", "accessories"), .init("list", list)]).text]
        }
        guard !accessories.isEmpty else { return ["  none yet"] }
        return accessories.map { accessory in
            var words = [accessory.isConnected ? "connected" : "away"]
            if accessory.isBonded { words.append("bonded") }
            if accessory.protection != nil { words.append("encrypted") }
            if accessory.isSubscribedToNotificationSource { words.append("subscribed") }
            if !accessory.hasConsent { words.append("without consent") }
            let name = accessory.description.name.map { TerminalText.visible($0) + " · " } ?? ""
            let address = accessory.description.identity ?? accessory.description.address
            return "  \(accessory.id.rawValue) · \(name)\(address) · "
                + words.joined(separator: ", ")
        }
    }

    /// The apps with bindings, a line each.
    func lines(of entries: [BoundApps.Entry]) -> [String] {
        if isJSON {
            let list = JSONValue.array(entries.map(\.json))
            return [JSONValue.object([.init("event", "bindings"), .init("list", list)]).text]
        }
        guard !entries.isEmpty else { return ["  none"] }
        return entries.map { "  " + TerminalText.visible($0.text) }
    }

    /// The apps, a line each.
    func lines(ofApps apps: [(identifier: AppIdentifier, name: String)]) -> [String] {
        if isJSON {
            let list = apps.map { app -> JSONValue in
                ["identifier": .string(app.identifier.description), "name": .string(app.name)]
            }
            return [JSONValue.object([.init("event", "apps"), .init("list", .array(list))]).text]
        }
        return apps.map { "  \($0.identifier.description) · \(TerminalText.visible($0.name))" }
    }

    /// The notifications.
    func lines(of notifications: [(id: NotificationID, notification: ProviderNotification)])
        -> [String]
    {
        if isJSON {
            let list = notifications.map { item in
                JSONValue.object(
                    [.init("notification", .integer(Int(item.id.rawValue)))]
                        + item.notification.jsonMembers)
            }
            return [
                JSONValue.object([.init("event", "notifications"), .init("list", .array(list))])
                    .text
            ]
        }
        guard !notifications.isEmpty else { return ["  none"] }
        return notifications.flatMap { lines(of: $0.notification, $0.id, " ") }
    }

    private func stage(_ text: String) -> String {
        TerminalPaint(isColored: isColored)("● \(text)", .link)
    }
}
