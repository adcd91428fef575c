internal import ANCSMedia
internal import ANCSService
internal import EventLines

/// How `ancs receive` reports events: as JSON Lines, or as text for users.
struct ReceiveReport: Sendable {
    private let printer: LinePrinter
    private let reporter: Reporter
    /// Whether the user said that several phones will be connected.
    private let mayHaveSeveralPhones: Bool
    /// The current time.
    private let time: @Sendable () -> CaptureTime
    private(set) var phones = ReceivePhones()

    init(
        options: ReceiveOptions, isColored: Bool,
        time: @escaping @Sendable () -> CaptureTime = { .now }
    ) {
        self.time = time
        printer = LinePrinter(
            isJSON: options.isJSON, isVerbose: options.isVerbose, isColored: isColored)
        let isAtBlueZ =
            switch options.place {
            case .bluez: true
            case .hci: false
            }
        reporter = Reporter(
            side: .accessory, name: options.name, face: options.face,
            isPairingOpen: options.isPairingOpen, isAtBlueZ: isAtBlueZ)
        mayHaveSeveralPhones = options.phones.map { $0 > 1 } ?? false
    }

    /// The lines of an event, in the requested form.
    mutating func report(of event: ConsumerEvent) -> Printed {
        phones.begin(event)
        defer { phones.end(event) }
        let phone = event.provider.flatMap { phones[$0] }
        var shown: ReceivedNotification?
        if case .notification(let notification) = event, notification.event == .removed {
            shown = phones.shown(of: notification)
        }
        var line = event.line(for: reporter, address: phone?.address, shown: shown)
        let diagnostics = printer.diagnostics(line)
        if printer.isJSON {
            if let former = event.former(line, hadSession: phone?.session != nil) {
                line = line.formerly(former)
            }
            line.add(Origin(time(), phone))
            return Printed(output: printer.output(line), diagnostics: diagnostics)
        }
        if let crowd = phones.crowd(at: event) {
            line = Line(told: PairingAdvice.crowd(crowd))
        } else if phones.isRepetition(event) {
            return Printed(diagnostics: diagnostics)
        } else if case .device(.advertising(true)) = event, phones.hasOwn {
            // The one that is here needs no advice how to come.
            let name = reporter.name
            line = Line(told: "waiting for other phones as \(name)")
        }
        let isMarked = mayHaveSeveralPhones || phones.count > 1
        let mark = isMarked ? phone.map { "[\($0.mark)] " } : nil
        return Printed(output: printer.text(line, mark: mark ?? ""), diagnostics: diagnostics)
    }

    /// Reports the result of an action.
    func report(
        of action: ActionID, on uid: NotificationUID, in session: SessionID,
        _ failure: RequestError?
    ) -> Printed {
        let result = failure == nil ? "performed" : "failed"
        var line = Line(
            "action",
            [
                "uid": .integer(Int(uid.rawValue)), "action": .string(action.description),
                "result": .string(result),
            ],
            "\(action.description) action on uid \(uid.rawValue): \(result)"
                + (failure.map { ": \($0.message)" } ?? ""), .item)
        if let failure { line.add([.init("failure", failure.json)]) }
        return printed(line, of: session.provider)
    }

    /// Reports what is playing. The end of a link has been said.
    func report(of media: PhoneMedia) -> Printed {
        guard phones[media.provider] != nil else { return Printed() }
        return printed(media.line, of: media.provider)
    }

    /// Reports what came of a command for a player.
    func report(of command: RemoteCommandID, to phone: PhoneID, _ failure: MediaError?) -> Printed {
        var line = Line(
            "command",
            [
                "command": .string(command.description),
                "result": failure == nil ? "accepted" : "failed",
            ],
            "\(command): " + (failure.map(\.message) ?? "the phone has accepted it"), .item)
        if let failure { line.add([.init("failure", .string(failure.message))]) }
        return printed(line, of: phone)
    }

    /// Reports the result of a fetch that the user requested.
    func report(
        ofFetched uid: NotificationUID, in session: SessionID,
        _ result: Result<[AttributeValue], RequestError>
    ) -> Printed {
        let values: [AttributeValue]
        var failure: RequestError?
        switch result {
        case .success(let attributes): values = attributes
        case .failure(let error): (failure, values) = (error, error.partial)
        }
        var line = Line(
            "attributes", ["uid": .integer(Int(uid.rawValue))], "uid \(uid.rawValue):", .item,
            below: values.filter { !$0.octets.isEmpty }.map { value in
                .text("\(NotificationAttributeID(rawValue: value.id)): \(value.text)")
            })
        let app = NotificationAttributeID.appIdentifier.rawValue
        if let app = values.first(where: { $0.id == app }) {
            line.add([.init("app", ["identifier": .string(app.text)])])
        }
        line.add([JSONValue.Member](describedBy: { values.describe(to: &$0) }))
        if let failure {
            line.add([.init("failure", failure.json)])
            line.below.append(.text("incomplete: \(failure.message)"))
        }
        return printed(line, of: session.provider)
    }

    /// Reports that phones may pair. If `isFull`, the maximum number of phones is connected, so the device is
    /// not advertising.
    func reportOfPairingWindow(seconds: Int, isFull: Bool) -> Printed {
        let advice =
            isFull
            ? "but no other phone can find this device while as many are connected as --phones "
                + "allows"
            : "choose '\(reporter.name)' on the phone"
        return told("phones can pair for \(seconds) seconds: " + advice)
    }

    /// The setting of the dialogue of pairing.
    var pairingSetting: PairingSetting {
        PairingSetting(
            name: reporter.name, place: reporter.isAtBlueZ ? "bluetoothd" : "without bluetoothd",
            again: reporter.isPairingOpen
                ? "choose '\(reporter.name)' there again" : "type 'pair' here",
            acceptance: Reporter.acceptance, stack: .init(isBluetoothd: reporter.isAtBlueZ))
    }

    /// Reports a step of the dialogue of pairing, if it is advice: events have said the rest.
    func report(of step: PairingStep) -> Printed {
        switch step.kind {
        case .otherApp, .hesitation, .otherCauses: told(step.text, .hint)
        case .ended(.failed(.noDevice)), .ended(.failed(.neverPaired)),
            .ended(.failed(.unanswered)), .ended(.failed(.notOnAir)):
            told(step.text)
        case .opened, .alreadyReceiving, .onAir, .offAir, .obstacle, .connected, .crowd, .asks,
            .noDigits, .declined, .failed, .paired, .noService, .consentMissing, .silent,
            .keyTrouble, .adapterFailed, .ended:
            Printed()
        }
    }

    /// Reports a command of the user that cannot be carried out.
    func report(problem text: String) -> Printed { printer.printed(Line(told: text, .problem)) }

    /// What only people are told.
    private func told(_ text: String, _ emphasis: Line.Emphasis = .stage) -> Printed {
        printer.printed(Line(told: text, emphasis))
    }

    private func printed(_ line: Line, of phone: PhoneID) -> Printed {
        var line = line
        line.add(Origin(time(), phones[phone]))
        return Printed(output: printer.output(line))
    }
}

/// When something happened, and on which phone and in which of its sessions.
private struct Origin: JSONDescribed {
    private let time: CaptureTime
    private let digest: String?
    private let session: UInt64?

    init(_ time: CaptureTime, _ phone: ReceivePhones.Phone?) {
        (self.time, digest, session) = (time, phone?.digest, phone?.session)
    }

    func describe(to object: inout some JSONMembers) {
        object.addText("time", atMost: 32) { time.write(fractionDigits: 3, to: &$0) }
        object.add("phone", present: digest.map { .string($0) })
        object.add("session", present: session.map { .integer(Int($0)) })
    }
}
