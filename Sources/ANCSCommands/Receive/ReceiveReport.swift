internal import Terminal
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import LinuxIO

/// How `ancs receive` reports events: as JSON Lines, or as text for users.
struct ReceiveReport: Sendable {
    private let isJSON: Bool
    private let isVerbose: Bool
    private let isColored: Bool
    let name: String
    /// What the advertisement shows while phones may pair.
    let face: ConsumerConfiguration.Face
    /// Whether phones may pair for the whole run.
    private let isPairingOpen: Bool
    /// Whether bluetoothd stores the bonds.
    private let isAtBlueZ: Bool
    /// Whether the user said that several phones will be connected.
    private let mayHaveSeveralPhones: Bool
    /// The current time as JSON shows it.
    private let timestamp: @Sendable () -> String
    private(set) var phones = ReceivePhones()

    /// The lines of a report.
    struct Lines: Equatable, Sendable {
        /// For standard output.
        var output: [String] = []
        /// For standard error.
        var diagnostics: [String] = []
    }

    init(
        options: ReceiveOptions, isColored: Bool,
        timestamp: @escaping @Sendable () -> String = { CaptureTime.now.text(fractionDigits: 3) }
    ) {
        self.timestamp = timestamp
        isJSON = options.isJSON
        isVerbose = options.isVerbose
        self.isColored = isColored
        name = options.name
        face = options.face
        isPairingOpen = options.isPairingOpen
        isAtBlueZ =
            switch options.place {
            case .bluez: true
            case .hci: false
            }
        mayHaveSeveralPhones = options.phones.map { $0 > 1 } ?? false
    }

    /// The lines of an event, in the requested form. Minor stages are reported only with `--verbose`.
    mutating func report(of event: ConsumerEvent) -> Lines {
        phones.begin(event)
        defer { phones.end(event) }
        var lines = Lines()
        if isVerbose, let explanation = explanation(of: event) {
            lines.diagnostics.append(diagnostic(explanation))
        }
        switch event {
        case .device(.warning(let warning)) where !isVerbose:
            lines.diagnostics.append(diagnostic(warning.message))
        // During a reset nothing arrives, which a person who only sees standard error should know.
        case .device(.resetting(let failure)) where isJSON && !isVerbose:
            lines.diagnostics.append(diagnostic(failure.message))
        case .device, .peer, .session, .announced, .notification: break
        }
        if isJSON {
            lines.output = [line(object(for: event), of: event.provider)]
        } else {
            lines.output = self.lines(of: event)
            if mayHaveSeveralPhones || phones.count > 1,
                let phone = event.provider.flatMap({ phones[$0] }),
                let first = lines.output.first
            {
                lines.output[0] = "[\(phone.mark)] " + first
            }
        }
        return lines
    }

    /// Reports the result of an action.
    func report(
        of action: ActionID, on uid: NotificationUID, in session: SessionID,
        _ failure: RequestError?
    ) -> Lines {
        let result = failure == nil ? "performed" : "failed"
        guard isJSON else {
            let reason = failure.map { ": \($0.message)" } ?? ""
            return Lines(output: [
                "  \(action.description) action on uid \(uid.rawValue): \(result)\(reason)"
            ])
        }
        var members: [JSONValue.Member] = [
            .init("event", "action"), .init("uid", .integer(Int(uid.rawValue))),
            .init("action", .string(action.description)), .init("result", .string(result)),
        ]
        if let failure { members.append(.init("failure", failure.json)) }
        return Lines(output: [line(.object(members), of: session.provider)])
    }

    /// Reports the result of a fetch that the user requested.
    func report(
        ofFetched uid: NotificationUID, in session: SessionID,
        _ result: Result<[AttributeValue], RequestError>
    ) -> Lines {
        let values: [AttributeValue]
        var failure: RequestError?
        switch result {
        case .success(let attributes): values = attributes
        case .failure(let error): (failure, values) = (error, error.partial)
        }
        guard isJSON else {
            let texts = values.filter { !$0.octets.isEmpty }.map { value in
                let name = NotificationAttributeID(rawValue: value.id).description
                return "    \(name): " + TerminalText.visible(value.text)
            }
            let reason = failure.map { ["    incomplete: \($0.message)"] } ?? []
            return Lines(output: ["  uid \(uid.rawValue):"] + texts + reason)
        }
        var members: [JSONValue.Member] = [
            .init("event", "attributes"), .init("uid", .integer(Int(uid.rawValue))),
        ]
        if let app = values.first(where: { $0.id == NotificationAttributeID.appIdentifier.rawValue }
        ) {
            members.append(.init("app", ["identifier": .string(app.text)]))
        }
        members += [AttributeValue].members(of: values)
        if let failure { members.append(.init("failure", failure.json)) }
        return Lines(output: [line(.object(members), of: session.provider)])
    }

    /// Reports that phones may pair. If `isFull`, the maximum number of phones is connected, so the device is
    /// not advertising.
    func reportOfPairingWindow(seconds: Int, isFull: Bool) -> Lines {
        guard !isJSON else { return Lines() }
        let name = TerminalText.visible(name)
        let advice =
            isFull
            ? "but no other phone can find this device while as many are connected as --phones "
                + "allows"
            : "choose '\(name)' on the phone"
        return Lines(output: [stage("phones can pair for \(seconds) seconds: " + advice)])
    }

    /// The setting of the dialogue of pairing.
    var pairingSetting: PairingSetting {
        PairingSetting(
            name: name, place: isAtBlueZ ? "bluetoothd" : "without bluetoothd",
            again: isPairingOpen ? "choose '\(name)' there again" : "type 'pair' here",
            acceptance: Self.acceptance)
    }

    /// Reports a step of the dialogue of pairing, if it is advice: events have said the rest.
    func report(of step: PairingStep) -> Lines {
        guard !isJSON else { return Lines() }
        let text = TerminalText.visible(step.text)
        switch step.kind {
        case .otherApp, .hesitation, .otherCauses: return Lines(output: [hint(text)])
        case .ended(.failed(.noDevice)), .ended(.failed(.neverPaired)),
            .ended(.failed(.unanswered)), .ended(.failed(.notOnAir)):
            return Lines(output: [stage(text)])
        case .opened, .alreadyReceiving, .onAir, .offAir, .obstacle, .connected, .crowd, .asks,
            .noDigits, .declined, .failed, .paired, .noService, .consentMissing, .silent,
            .keyTrouble, .adapterFailed, .ended:
            return Lines()
        }
    }

    /// Reports a command of the user that cannot be carried out.
    func report(problem text: String) -> Lines { Lines(diagnostics: [diagnostic(text)]) }

    /// Reports an explanation, which is shown only with `--verbose`.
    func report(explanation text: String) -> Lines {
        Lines(diagnostics: isVerbose ? [diagnostic(text)] : [])
    }

    private func diagnostic(_ text: String) -> String { "ancs: \(TerminalText.visible(text))" }

    // MARK: JSON

    /// A line: an object with the time, and with the phone and session that it is about.
    private func line(_ object: JSONValue, of phone: ProviderID?) -> String {
        var members = object.members ?? []
        members.append(.init("time", .string(timestamp())))
        if let phone = phone.flatMap({ phones[$0] }) {
            members.append(.init("phone", .string(phone.digest)))
            if let session = phone.session {
                members.append(.init("session", .integer(Int(session))))
            }
        }
        return JSONValue.object(members).text
    }

    /// The object for an event, with the members that only this run knows: `text` says what its user can do.
    private func object(for event: ConsumerEvent) -> JSONValue {
        var members = Self.json(of: event).members ?? []
        switch event {
        case .peer(_, .pairingRefused): members.append(.init("text", .string(refusal)))
        case .peer(let id, .keyTrouble(let trouble)):
            members.append(.init("text", .string(text(of: trouble, with: id))))
        case .peer(_, .securityFailed(let failure)):
            members.append(.init("text", .string(Self.text(of: failure))))
        case .notification(let notification) where notification.event == .removed:
            let shown = phones.shown(of: notification)?.delivery.json.members
            members += shown?.filter { ["app", "title"].contains($0.name) } ?? []
        case .device, .peer, .session, .announced, .notification: break
        }
        return .object(members)
    }

    /// The object for an event.
    static func json(of event: ConsumerEvent) -> JSONValue {
        switch event {
        case .device(let event): .object(event.jsonMembers)
        case .peer(_, let event): .object(event.jsonMembers())
        case .session(_, let event): json(of: event)
        case .announced(let call): call.delivery.source.announcedJSON
        case .notification(let notification) where notification.event == .removed:
            .object(notification.delivery.source.jsonMembers)
        case .notification(let notification): notification.delivery.json
        }
    }

    private static func json(of event: ConsumerEvent.SessionEvent) -> JSONValue {
        switch event {
        case .waitingForService: session("waitingForService")
        case .started: session("started")
        case .authorizationChanged(.unknown): session("unknown")
        case .authorizationChanged(.authorized): session("authorized")
        case .authorizationChanged(.unauthorized(let error)):
            session("unauthorized", [.init("attError", .integer(Int(error.rawValue)))])
        case .livenessChanged(.wedged): session("wedged")
        case .livenessChanged(.suspect): session("silent")
        case .livenessChanged(.live): session("answering")
        case .ended(_, .linkEnded): session("ended", [.init("reason", "the link has ended")])
        case .ended(_, .serviceGone):
            session("ended", [.init("reason", .string(Self.servicesChanged))])
        case .ended(_, .renewed(let reason)):
            session("ended", [.init("reason", .string(reason.message))])
        }
    }

    /// What is known where a session ends with its service; whether it is gone, a search will show.
    private static let servicesChanged = "the phone's services have changed"

    private static func session(_ state: String, _ members: [JSONValue.Member] = []) -> JSONValue {
        .object([.init("event", "session"), .init("state", .string(state))] + members)
    }

    // MARK: Lines

    private func lines(of event: ConsumerEvent) -> [String] {
        if let crowd = phones.crowd(at: event) { return [stage(PairingAdvice.crowd(crowd))] }
        if phones.isRepetition(event) { return [] }
        return switch event {
        case .device(let event): lines(of: event)
        case .peer(let id, let event): lines(of: event, id)
        case .session(let id, let event): lines(of: event, id)
        case .announced(let call):
            [NotificationReport.line(announcing: call, isColored: isColored)]
        case .notification(let notification):
            NotificationReport(
                notification: notification,
                shown: phones.shown(of: notification)
                    .map { NotificationReport(notification: $0).title }
            ).lines(isColored: isColored)
        }
    }

    private func lines(of event: DeviceEvent) -> [String] {
        switch event {
        case .advertising(true):
            [
                stage("waiting as \(TerminalText.visible(name))"),
                hint("on the iPhone: Settings > Bluetooth"),
            ]
        case .ready where isPairingOpen: [stage("pairing is open (--pair)")]
        case .pairingWindow(true): [stage("pairing is open")]
        case .pairingWindow(false):
            [
                stage("pairing is closed: only phones that are bonded can connect"),
                hint("to pair another phone, type 'pair'"),
            ]
        case .missed(let count): [stage(droppedText(count) + ": too slow")]
        case .listening(let place):
            [stage("waiting for a controller at \(TerminalText.visible(place))")]
        case .resetting(let failure): [stage(TerminalText.visible(failure.message))]
        case .ready, .advertising(false), .scanning, .resumed, .warning: []
        }
    }

    private func lines(of event: PeerEvent, _ id: ProviderID) -> [String] {
        switch event {
        case .connected(let description):
            [stage("connected to \(description.identity ?? description.address)")]
        case .linkParameters(let link) where link.isKept:
            [hint("the phone keeps the parameters of its link: \(link.message)")]
        case .named(let name): [hint("its name is \(TerminalText.visible(name))")]
        case .paired(_, _, nil): [stage("paired")]
        case .paired(_, _, let bond?):
            [
                stage(
                    "paired: the keys of \(Self.name(of: bond)), which was paired before, are replaced"
                )
            ]
        case .pairingRefused: [stage(refusal)]
        case .keyTrouble(let trouble): [stage(text(of: trouble, with: id))]
        case .pairing(let request): [stage(request.message(peer: "iPhone"))]
        case .securityFailed(let failure): [stage(Self.text(of: failure))]
        case .disconnected(let reason): [stage("disconnected: \(reason.message)")]
        // The command shows which question was withdrawn.
        case .pairingWithdrawn, .discovered, .connectingFailed, .linkParameters, .mtuChanged,
            .secured, .bondRestored, .identified, .accessDenied:
            []
        }
    }

    private func lines(of event: ConsumerEvent.SessionEvent, _ id: ProviderID) -> [String] {
        switch event {
        case .waitingForService: waitingLines(of: id)
        case .started: [stage("receiving notifications")]
        case .authorizationChanged(.unauthorized):
            [
                stage("the phone does not allow reading its notifications"),
                sharingHint,
                hint("if it is on, turn Bluetooth on the iPhone off and on"),
            ]
        case .ended(_, .serviceGone): [stage(Self.servicesChanged)]
        case .ended(_, .renewed(let reason)): [stage(reason.message)]
        case .livenessChanged(.wedged):
            [
                stage("the phone does not answer, though it is connected"),
                hint("turn Bluetooth on the iPhone off and on, in Settings > Bluetooth"),
            ]
        case .livenessChanged(.live): [stage("the phone answers again")]
        case .authorizationChanged, .livenessChanged(.suspect), .ended(_, .linkEnded): []
        }
    }

    /// An unknown phone was refused: what its owner can do.
    var refusal: String {
        "an unknown phone was refused: to pair it, type 'pair' here, then choose "
            + "'\(TerminalText.visible(name))' in Settings > Bluetooth on the phone"
    }

    /// Trouble with the keys of a phone, and which side has to forget what. bluetoothd does not replace the
    /// keys of a bond.
    func text(of trouble: KeyTrouble, with id: ProviderID) -> String {
        let removal = "'bluetoothctl remove \(address(of: id))' here"
        return trouble.message(
            of: TerminalText.visible(name), pairing: "type 'pair' here",
            removal: isAtBlueZ ? removal : nil)
    }

    /// How the user accepts a device without digits.
    private static let acceptance = "--require none"

    static func text(of failure: SecurityFailure) -> String {
        failure.message(unless: acceptance)
    }

    private static func name(of bond: BondedPeer) -> String {
        bond.name.map { "'\(TerminalText.visible($0))'" } ?? "the phone \(bond.digest.prefix(4))"
    }

    private func address(of id: ProviderID) -> String {
        phones[id]?.address ?? "ADDRESS"
    }

    private func waitingLines(of id: ProviderID) -> [String] {
        var lines = [
            stage("the phone does not offer its notifications yet; waiting for them"), sharingHint,
        ]
        if isAtBlueZ {
            lines += [
                hint("if it is on, turn it off and on; Bluetooth off and on does not do it"),
                hint(
                    "if that does not help, remove the bond on both sides: 'bluetoothctl remove "
                        + "\(address(of: id))', and Forget This Device there; then pair again"),
            ]
        } else {
            lines.append(
                hint("if it is on, or is not shown, turn Bluetooth on the iPhone off and on"))
        }
        lines.append(hint("only an iPhone or iPad offers them; other phones and computers do not"))
        return lines
    }

    /// The hint where on the phone the user allows sharing notifications (S1).
    private var sharingHint: String {
        hint(
            "on the iPhone: Settings > Bluetooth, the (i) next to '\(TerminalText.visible(name))', "
                + "Share System Notifications")
    }

    private func stage(_ text: String) -> String {
        TerminalPaint(isColored: isColored)("● \(text)", .link)
    }

    private func hint(_ text: String) -> String {
        TerminalPaint(isColored: isColored)("  \(text)", .dim)
    }
}
