internal import AccessoryConformance
internal import Terminal
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

/// Describes the events of the phone and the accessory for users, and links each to its notification, so
/// that the events of both sides can be shown together.
package struct DemoNarrator: Sendable {
    private let phoneName: String
    private let accessoryName: String
    private var protection: LinkProtection?
    private var notifications: [NotificationUID: NotificationID] = [:]
    /// The notification that the accessory last requested; a request for app attributes that follows is about
    /// its app.
    private var lastAskedFor: NotificationID?
    /// The headings shown on either side, for use when the notification is removed.
    private var phoneHeadings: [NotificationID: String] = [:]
    private var accessoryHeadings: [NotificationUID: String] = [:]

    init(phoneName: String, accessoryName: String) {
        self.phoneName = TerminalText.visible(phoneName)
        self.accessoryName = TerminalText.visible(accessoryName)
    }

    // MARK: The phone

    /// The items of an event of the phone. `content` is that of the notification concerned.
    mutating func items(of event: ProviderEvent, _ content: PostedNotification?) -> [DemoItem] {
        switch event {
        case .device(let event): notes(of: event)
        case .peer(_, let event): items(of: event)
        case .link: []
        case .session(_, let event): items(of: event)
        case .notification(let change, let id): [sight(of: change, id, content)]
        }
    }

    /// What the user of either side should know.
    private func notes(of event: DeviceEvent) -> [DemoItem] {
        switch event {
        case .resetting(let failure): [.note([TerminalText.visible(failure.message)])]
        case .warning(let warning): [.note([TerminalText.visible(warning.message)])]
        case .missed(let count): [.note([droppedText(count)])]
        case .listening, .ready, .advertising, .scanning, .resumed, .pairingWindow: []
        }
    }

    private mutating func items(of event: PeerEvent) -> [DemoItem] {
        switch event {
        case .discovered: [.link(.toPhone, "\(accessoryName) is on air and asks for ANCS")]
        case .connected: [.link(.toAccessory, "connected")]
        case .connectingFailed(let error):
            [.link(.toAccessory, "no connection: \(error.message)")]
        case .accessDenied: [.link(.toAccessory, "refused: not paired yet")]
        case .secured(let protection): secured(protection)
        case .paired: [.link(.none, "paired" + words(for: protection))]
        case .bondRestored: [.link(.none, "encrypted with the keys of the first pairing")]
        case .securityFailed(let failure):
            [.link(.none, TerminalText.visible(failure.message))]
        case .disconnected(let reason):
            [.link(.none, "disconnected: " + TerminalText.visible(reworded(reason.message)))]
        case .named, .linkParameters, .mtuChanged, .pairing, .pairingWithdrawn, .identified,
            .pairingRefused, .keyTrouble:
            []
        }
    }

    private mutating func items(of event: ProviderEvent.SessionEvent) -> [DemoItem] {
        switch event {
        case .started: sessionStarted()
        case .announced(let id, let source): announced(id, source)
        case .command(let command): traffic(.toPhone, command.inShort, command)
        case .answered(let command, let outcome): traffic(.toAccessory, outcome.inShort, command)
        case .subscriptionChanged, .serviceChangedSubscription, .attributeRead,
            .attributeSubscription, .ended, .commandWithoutResponse, .action:
            []
        }
    }

    private mutating func secured(_ protection: LinkProtection) -> [DemoItem] {
        self.protection = protection
        return []
    }

    private func words(for protection: LinkProtection?) -> String {
        guard let protection else { return "" }
        return protection.usesSecureConnections
            ? ", encrypted by LE Secure Connections" : ", encrypted by LE legacy pairing"
    }

    /// A reason given by the phone's host, in words for a reader who sees both sides.
    private func reworded(_ reason: String) -> String {
        for (side, name) in [("this side", phoneName), ("the other side", accessoryName)]
        where reason.hasPrefix(side) {
            return name + reason.dropFirst(side.count)
        }
        return reason
    }

    private mutating func sessionStarted() -> [DemoItem] {
        notifications = [:]
        lastAskedFor = nil
        accessoryHeadings = [:]
        return [.link(.toPhone, "subscribed: a session begins")]
    }

    private mutating func sight(
        of change: EventID, _ id: NotificationID, _ content: PostedNotification?
    ) -> DemoItem {
        let mark = NotificationReport.mark(change)
        guard change != .removed, let content else {
            let heading = phoneHeadings.removeValue(forKey: id) ?? "a notification"
            return .sight(.phone, DemoBlock(heading: "\(mark) \(heading)"), about: id)
        }
        let block = content.block
        phoneHeadings[id] = block.heading
        var shown = block
        shown.heading = "\(mark) \(block.heading)" + (content.notification.isImportant ? " !" : "")
        return .sight(.phone, shown, about: id)
    }

    private mutating func announced(
        _ id: NotificationID, _ source: NotificationSourceValue
    ) -> [DemoItem] {
        notifications[source.notificationUID] = id
        return [.traffic(.toAccessory, source.eventID.description, about: id)]
    }

    private mutating func traffic(
        _ arrow: DemoArrow, _ words: String, _ command: ProviderSession.Command
    ) -> [DemoItem] {
        if let uid = command.notificationUID { lastAskedFor = notifications[uid] }
        return lastAskedFor.map { [.traffic(arrow, words, about: $0)] } ?? []
    }

    // MARK: The accessory

    /// The items of an event of the accessory.
    mutating func items(of event: ConsumerEvent) -> [DemoItem] {
        switch event {
        case .device(let event): remarks(of: event)
        // The phone's side shows the link.
        case .peer: []
        case .session(_, let event): remarks(of: event)
        case .announced: [remark("a call rings")]
        case .notification(let notification): received(notification)
        }
    }

    /// The controller of the accessory is not of interest.
    private func remarks(of event: DeviceEvent) -> [DemoItem] {
        if case .resetting = event { return [] }
        return notes(of: event)
    }

    private func remarks(of event: ConsumerEvent.SessionEvent) -> [DemoItem] {
        switch event {
        case .waitingForService: [remark("waiting for the phone to offer its notifications")]
        case .authorizationChanged(.unauthorized): [remark("may not read notifications")]
        case .livenessChanged(.suspect): [remark("no answer: probing the phone")]
        case .livenessChanged(.wedged): [remark("the phone does not answer: its user must help")]
        case .livenessChanged(.live): [remark("the phone answers again")]
        case .ended(_, .serviceGone): [remark("the phone's services have changed: looking again")]
        case .ended(_, .renewed): [remark("begins another session")]
        case .started, .authorizationChanged, .ended(_, .linkEnded): []
        }
    }

    private mutating func received(_ notification: ReceivedNotification) -> [DemoItem] {
        let uid = notification.uid
        let report = NotificationReport(notification: notification)
        let mark = report.mark
        let title = TerminalText.visible(report.title)
        var block = DemoBlock(heading: "\(mark) \(title)")
        if notification.event == .removed {
            let title = accessoryHeadings.removeValue(forKey: uid) ?? "a notification"
            block.heading = "\(mark) \(title)"
            block.details = ["uid \(uid.rawValue)", notification.category.description]
        } else {
            accessoryHeadings[uid] = title
            if notification.isImportant { block.heading += " !" }
            block.texts = report.texts.map(TerminalText.visible)
            block.details = report.details(withDate: false).map(TerminalText.visible)
            if let origin = report.origin { block.details.append(origin) }
        }
        return [.sight(.accessory, block, about: notifications[uid])]
    }

    private func remark(_ text: String) -> DemoItem {
        .sight(.accessory, DemoBlock(heading: "● " + text), about: nil)
    }

    /// The user of the accessory presses a button.
    func press(_ action: ActionID, label: String, on id: NotificationID) -> DemoItem {
        .press(DemoBlock(heading: "\(action.sign) \(TerminalText.visible(label))"), about: id)
    }
}

extension PostedNotification {
    /// The notification as the phone shows it to its user.
    fileprivate var block: DemoBlock {
        let app = appName ?? notification.appIdentifier.description
        return DemoBlock(
            heading: TerminalText.visible(title.isEmpty ? app : "\(app) · \(title)"),
            texts: texts.map(TerminalText.visible),
            details: signedLabels.map(TerminalText.visible))
    }
}

extension ActionID {
    /// The sign before a label.
    fileprivate var sign: String { self == .positive ? "✓" : "✗" }
}

extension ProviderSession.Command {
    /// Words short enough for an arrow.
    fileprivate var inShort: String {
        switch self {
        case .decoded(.getNotificationAttributes): "attributes?"
        case .decoded(.getAppAttributes): "app name?"
        case .decoded(.performNotificationAction(let perform)):
            perform.actionID.description
        case .malformed: "malformed"
        }
    }
}

extension ProviderSession.Outcome {
    /// Words short enough for an arrow.
    fileprivate var inShort: String {
        switch self {
        case .sent(let octets): counted(octets, "octet")
        case .performed: "performed"
        case .refused(let error): "error 0x\([error.rawValue].hexText)"
        case .withheld, .ignored: "no answer"
        case .abandoned(let octets): "lost at \(octets)"
        }
    }
}
