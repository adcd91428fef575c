internal import Terminal
internal import ANCSCapture
internal import ANCSService
internal import ANCS
internal import BluetoothLE
internal import JSONText
internal import HCITransports
internal import LinuxIO

/// Describes happenings for users, a line each, safe for a terminal. The first column is the time in seconds
/// since the first record, the second the connection; lines that belong to a session are indented.
struct StoryText: Sendable {
    /// The time of the first record.
    var start: CaptureTime

    /// The width of the time column.
    private static let timeWidth = 10

    /// Writes the lines of a happening; none if another line already says it.
    func write(_ happening: Happening, to lines: inout StoryLines) {
        lines.begin()
        writeHead(happening, to: &lines)
        lines.beginText()
        writeText(happening, to: &lines)
        lines.end(Self.style(happening.event))
    }

    /// Writes the columns before the text.
    private func writeHead(_ happening: Happening, to lines: inout StoryLines) {
        lines.write(thousandths: happening.time - start, width: Self.timeWidth)
        let place = happening.place
        if let adapter = place.adapter {
            lines.write("  hci")
            lines.write(adapter)
        }
        if let number = place.connection {
            lines.write("  #")
            lines.write(number)
        }
        lines.write(place.session == nil ? "  " : "    ")
    }

    /// The emphasis of an event's line; notifications stand out.
    private static func style(_ event: Happening.Event) -> StoryLines.Style? {
        switch event {
        case .source, .answer: .notification
        case .sessionBegan, .sessionEnded, .connected, .disconnected: .milestone
        case .adapter, .lost, .cut, .notShown, .controllerReset, .hardwareError, .malformed,
            .connectingFailed, .transport, .channel, .basicRate, .parametersWanted,
            .parametersAnswered, .parametersChanged,
            .parametersRefused, .disconnecting, .encryption, .keyMissing,
            .pairing, .mtu, .name, .services, .serviceMissing, .handles, .serviceChanged,
            .requestRefused, .requestUnanswered, .strayResponse, .unreadable, .subscription,
            .command, .commandResult, .commandUnanswered, .strayAnswer:
            nil
        }
    }

    private func writeText(_ happening: Happening, to lines: inout StoryLines) {
        if let text = text(of: happening) {
            lines.write(text: text)
        } else {
            writeSession(happening, to: &lines)
        }
    }

    /// The line of all events but those of a session.
    private func text(of happening: Happening) -> String? {
        switch happening.event {
        // The capture and its controllers.
        case .adapter(let change): Self.text(change)
        case .lost(let count): "! \(counted(count, "record")) missing here"
        case .cut: "! packets of this connection were recorded incompletely: gaps follow"
        case .notShown(let counts): "not shown: " + counts.map(\.text).joined(separator: ", ")
        case .controllerReset: "the controller is reset"
        case .hardwareError(let code): "! the controller reports hardware error \(code)"
        case .malformed(let layer, let offset):
            "! the \(layer) at octet \(offset) of the file is malformed"
        // Links.
        case .connected(let facts): text(facts, at: happening.time)
        case .connectingFailed(let address, let status):
            "! no connection\(address.map { " to \($0.text)" } ?? ""): \(status.captureMessage)"
        case .transport(let transport): "this is a connection over \(transport.text)"
        case .channel(let event): Self.text(event)
        case .basicRate(let verdict): "! " + verdict.text
        case .parametersWanted(let side, let wanted): Self.text(wanted, by: side)
        case .parametersAnswered(let isAccepted):
            isAccepted ? "connection parameters: accepted" : "! connection parameters: rejected"
        case .parametersChanged(let parameters): "now " + Self.text(parameters)
        case .parametersRefused(let status): "! parameters not changed: \(status.captureMessage)"
        case .disconnecting: "this side ends the connection"
        case .disconnected(let reason, let duration):
            "disconnected: \(reason?.captureMessage ?? "how is not in the capture")"
                + (duration.map { " · after \($0.brief)" } ?? "")
        case .encryption(let change): Self.text(change)
        case .keyMissing: "! this side has no key for the other: it has forgotten the pairing"
        case .pairing(let event): Self.text(event)
        // Attributes.
        case .mtu(let mtu): "ATT_MTU \(mtu)"
        case .name(let side, let name): "\(side.text) is “\(TerminalText.visible(name))”"
        case .services(let side, let uuids):
            "\(side.text) has "
                + (uuids.isEmpty
                    ? "no services"
                    : uuids.map(AssignedNumbers.serviceText).joined(separator: ", "))
        case .serviceMissing(let side, let uuid):
            "\(side.text) does not have \(AssignedNumbers.serviceText(uuid))"
        case .handles(let side, let handles, let origin):
            Self.text(handles, on: side, origin)
        case .serviceChanged(let side, let range, let concernsANCS):
            "\(side.text) reports that attributes \(range.first.text) to \(range.last.text) "
                + "changed" + (concernsANCS ? ", ANCS among them" : "")
        case .requestRefused(let opcode, let handle, let code, let characteristic):
            "! \(opcode.text) of \(handle.text)\(characteristic.map { " (\($0.title))" } ?? "") "
                + "refused: \(code.message)"
        case .requestUnanswered(let opcode, let since, let ending):
            "! \(opcode.text) of \((since - start).thousandths) has no response: "
                + ending.text
        case .strayResponse(let opcode): "! a \(opcode.text) response without a request"
        case .unreadable(let channel, let octets):
            "! \(counted(octets, "octet")) of \(channel) that cannot be decoded"
        case .subscription, .sessionBegan, .sessionEnded, .source, .command, .commandResult,
            .commandUnanswered, .answer, .strayAnswer:
            nil
        }
    }

    private static func text(_ change: Happening.AdapterChange) -> String {
        switch change {
        case .added(let address, let name):
            "adapter \(TerminalText.visible(name)) \(address.text)"
        case .address(let address): "the adapter's address is \(address.text)"
        case .removed: "the adapter was removed"
        }
    }
}

// MARK: Links

extension StoryText {
    private func text(_ facts: Happening.ConnectionFacts, at time: CaptureTime) -> String {
        guard let address = facts.address else { return Self.textBefore(facts.transport) }
        var words = ["\(address.text) (\(address.kindText))"]
        if let identity = facts.identity { words.append("identity \(identity.text)") }
        if let earlier = facts.earlier { words.append("the device of connection \(earlier)") }
        if facts.transport == .basicRate { words += Self.basicRateWords(facts) }
        if let role = facts.role {
            words.append("this side is the \(role == .central ? "Central" : "Peripheral")")
        }
        if let parameters = facts.parameters { words.append(Self.text(parameters)) }
        words.append(time.text)
        return "connected: " + words.joined(separator: " · ")
    }

    private static func text(_ parameters: Happening.LinkParameters) -> String {
        let hundredths = Int(parameters.interval.rawValue) * 125
        let fraction = hundredths % 100
        let interval =
            fraction == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(fraction)"
        return "interval \(interval) ms, latency \(parameters.latency), "
            + "timeout \(Int(parameters.supervisionTimeout.rawValue) * 10) ms"
    }

    private static func text(_ wanted: ConnectionParameters, by side: Happening.Side) -> String {
        let breaches = LinkRules.breaches(of: wanted).map(\.message)
        let text = "\(side.text) asks for \(wanted.message)"
        return breaches.isEmpty
            ? text : "! \(text); \(breaches.joined(separator: "; ")); it may be rejected"
    }

    private static func text(_ change: Happening.EncryptionChange) -> String {
        guard change.status == .success else {
            return "! encryption failed: \(change.status.captureMessage)"
        }
        guard change.isEnabled else { return "! encryption was switched off" }
        return change.isFromPairing
            ? "encrypted with the new key" : "encrypted with a stored key: the devices are paired"
    }

    private static func text(_ event: Happening.PairingEvent) -> String {
        switch event {
        case .wanted(let side): "\(side.text) asks for security"
        case .began(let side): "\(side.text) asks to pair"
        case .agreed(let terms): "pairing: " + text(terms)
        case .succeeded(let terms):
            "paired" + (terms.isBonding ? "" : " for this connection only")
                + keyText(terms.scheme)
        case .failed(let reason, let side):
            "! pairing failed: \(side.text) reports: \(reason.message) "
                + "(0x\(String(reason.rawValue, radix: 16)))"
        case .stopped(let status, let transport):
            "! pairing failed: \(status.pairingMessage(over: transport))"
        case .unfinished: "! pairing did not finish"
        case .identity(let side, let address):
            "the identity of \(side.text) is \(address.text) (\(address.kindText))"
        case .confirming, .confirmed, .refused, .deriving, .derived, .notDerived:
            basicRateText(event)
        }
    }

    private static func text(_ terms: Happening.PairingTerms) -> String {
        var words: [String] = []
        switch terms.scheme {
        case .lowEnergy(let usesSecureConnections, _, _):
            words.append(usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing")
        case .basicRate: words.append("over BR/EDR")
        }
        if let method = terms.method { words.append(text(method, terms.scheme)) }
        words.append(terms.isBonding ? "bonding" : "no bonding")
        guard case .lowEnergy(_, let keySize, let derivesLinkKey) = terms.scheme else {
            return words.joined(separator: " · ")
        }
        if keySize != 16 { words.append("\(keySize) octets of key") }
        if derivesLinkKey { words.append("a key for BR/EDR is derived too") }
        return words.joined(separator: " · ")
    }

    private static func text(
        _ method: Happening.PairingMethod, _ scheme: Happening.PairingScheme
    ) -> String {
        let isBasicRate = if case .basicRate = scheme { true } else { false }
        return switch method {
        case .pin: "a PIN, as before Bluetooth 2.1"
        case .model(.justWorks): "Just Works, not protected against a man in the middle"
        case .model(.numericComparison): "Numeric Comparison"
        case .model(.passkeyEntry(.initiatorDisplays)):
            "Passkey Entry, shown by the \(isBasicRate ? "side that asked to pair" : "Central")"
        case .model(.passkeyEntry(.responderDisplays)):
            "Passkey Entry, shown by the \(isBasicRate ? "side that was asked" : "Peripheral")"
        case .model(.passkeyEntry(.bothEnter)): "Passkey Entry on both sides"
        case .model(.outOfBand): "out of band"
        }
    }
}

// MARK: Attributes

extension StoryText {
    private static func text(
        _ handles: ANCSHandles, on side: Happening.Side, _ origin: Happening.HandleOrigin
    ) -> String {
        let known: [(ANCSCharacteristic, AttributeHandle?)] = [
            (.notificationSource, handles.notificationSource),
            (.controlPoint, handles.controlPoint), (.dataSource, handles.dataSource),
        ]
        let places = known.map { "\($0.title) \($1?.text ?? "missing")" }
        let source =
            switch origin {
            case .discovered: ""
            case .remembered(let number): " (known from connection \(number))"
            case .inferred: " (inferred from the traffic: the discovery is not in the capture)"
            }
        return "\(side.text) is the phone: " + places.joined(separator: ", ") + source
    }
}

extension Happening.Side {
    /// The side in words, as seen from the host that made the capture.
    var text: String { self == .local ? "this side" : "the other side" }
}

extension AttributeHandle {
    /// `0x0012`
    var text: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
