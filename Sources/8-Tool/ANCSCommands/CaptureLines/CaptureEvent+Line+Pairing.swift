internal import ANCSCapture
internal import BluetoothLE
internal import DeviceCommandKit

// Pairing, and what only links of BR/EDR show.

extension CaptureEvent.PairingEvent {
    var line: Line {
        switch self {
        case .wanted(let side): state("wanted", side, "\(side.text) asks for security")
        case .began(let side): state("began", side, "\(side.text) asks to pair")
        case .agreed(let terms):
            Line(
                "pairing", [.init("state", "agreed")] + terms.members(bond: "bonding"),
                "pairing: " + terms.text, .item)
        case .succeeded(let terms):
            Line(
                "paired", terms.members(bond: "bonded"),
                "paired" + (terms.isBonding ? "" : " for this connection only")
                    + terms.scheme.keyText, .item)
        case .failed(let reason, let side):
            .problem(
                "securityFailed",
                ["side": side.json, "reason": .string(reason.message), "code": reason.json],
                "pairing failed: \(side.text) reports: \(reason.text)")
        case .stopped(let status, let transport):
            .problem(
                "securityFailed",
                [
                    "reason": .string(status.pairingMessage(over: transport)),
                    "code": status.json,
                ], "pairing failed: \(status.pairingMessage(over: transport))")
        case .unfinished: state("unfinished", nil, "pairing did not finish", .problem)
        case .identity(let side, let address):
            .item(
                "pairing",
                [
                    "state": "identity", "side": side.json, "address": .string(address.text),
                    "addressType": .string(address.kindName),
                ], "the identity of \(side.text) is \(address.text) (\(address.kindText))")
        // Over BR/EDR.
        case .deriving(let side):
            state(
                "deriving", side,
                "\(side.text) asks to derive keys for Low Energy from those of BR/EDR")
        case .derived(true):
            state(
                "derived", nil,
                "both sides derive keys for Low Energy: ANCS needs a connection over Low Energy, "
                    + "which the iPhone makes when it sees the accessory advertise")
        case .derived(false):
            state(
                "notDerived", nil,
                "no keys for Low Energy are derived: a side does not want them", .problem)
        case .notDerived(let reason, let side):
            .problem(
                "pairing",
                [
                    "state": "notDerived", "side": side.json, "reason": .string(reason.message),
                    "code": reason.json,
                ], "no keys for Low Energy are derived: \(side.text) reports: \(reason.text)")
        }
    }

    private func state(
        _ state: String, _ side: CaptureEvent.Side?, _ sentence: String,
        _ emphasis: Line.Emphasis = .item
    ) -> Line {
        Line("pairing", ["state": .string(state), "side": side?.json], sentence, emphasis)
    }
}

extension PairingFailureReason {
    fileprivate var json: JSONValue { .integer(Int(rawValue)) }

    fileprivate var text: String { "\(message) (0x\(String(rawValue, radix: 16)))" }
}

extension CaptureEvent.PairingTerms {
    fileprivate func members(bond: String) -> [JSONValue.Member] {
        let name: JSONValue? = method.map { .string($0.name) }
        switch scheme {
        case .lowEnergy(let usesSecureConnections, let keySize, let derivesLinkKey):
            return [JSONValue.Member](present: [
                bond: .boolean(isBonding), "method": name,
                "secureConnections": .boolean(usesSecureConnections),
                "authenticated": .boolean(method?.isAuthenticated ?? false),
                "keySize": .integer(keySize), "derivesLinkKey": derivesLinkKey ? true : nil,
            ])
        case .basicRate(let kind):
            return [JSONValue.Member](present: [
                bond: .boolean(isBonding),
                "transport": .string(CaptureEvent.Transport.basicRate.rawValue),
                "secureConnections": kind?.usesSecureConnections.map { .boolean($0) },
                "authenticated": kind?.isAuthenticated.map { .boolean($0) },
            ])
        }
    }

    fileprivate var text: String {
        var words: [String] = []
        switch scheme {
        case .lowEnergy(let usesSecureConnections, _, _):
            words.append(usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing")
        case .basicRate: words.append("over BR/EDR")
        }
        if let method { words.append(method.captureText) }
        words.append(isBonding ? "bonding" : "no bonding")
        if case .lowEnergy(_, let keySize, let derivesLinkKey) = scheme {
            if keySize != 16 { words.append("\(keySize) octets of key") }
            if derivesLinkKey { words.append("a key for BR/EDR is derived too") }
        }
        return words.joined(separator: " · ")
    }
}

extension AssociationModel {
    fileprivate var name: String {
        switch self {
        case .justWorks: "justWorks"
        case .numericComparison: "numericComparison"
        case .passkeyEntry: "passkeyEntry"
        case .outOfBand: "outOfBand"
        }
    }

    fileprivate var captureText: String {
        switch self {
        case .justWorks: "Just Works, not protected against a man in the middle"
        case .numericComparison: "Numeric Comparison"
        case .passkeyEntry(.initiatorDisplays): "Passkey Entry, shown by the Central"
        case .passkeyEntry(.responderDisplays): "Passkey Entry, shown by the Peripheral"
        case .passkeyEntry(.bothEnter): "Passkey Entry on both sides"
        case .outOfBand: "out of band"
        }
    }
}

extension CaptureEvent.PairingScheme {
    /// What kind of key was made, over BR/EDR.
    fileprivate var keyText: String {
        guard case .basicRate(let kind?) = self else { return "" }
        var text = " over BR/EDR"
        if let usesSecureConnections = kind.usesSecureConnections {
            text +=
                usesSecureConnections
                ? " with Secure Connections"
                : " without Secure Connections, so that no keys for Low Energy can be derived"
        }
        if kind.isAuthenticated == false { text += ", not protected against a man in the middle" }
        return text
    }
}

extension CaptureEvent.Transport {
    /// The transport, and what it means for notifications.
    var text: String {
        switch self {
        case .lowEnergy: "Low Energy"
        case .basicRate: "BR/EDR, which has no notifications"
        }
    }
}

extension CaptureEvent.BasicRateVerdict {
    /// What to do, in the words of `ancs doctor` and `ancs pair`.
    var line: Line {
        switch self {
        case .pairedOnly(let name, let address, let ownName):
            advice(
                "phonePairedOverBREDR", name, address,
                BasicRateAdvice.paired(name ?? "", address?.text ?? "ADDRESS", ownName: ownName))
        case .accessoryPairedOnly(let name, let address):
            advice(
                "accessoryPairedOverBREDR", name, address,
                BasicRateAdvice.paired(accessory: name ?? "", address?.text ?? "ADDRESS"))
        case .notPaired: advice("phoneOverBREDR", nil, nil, BasicRateAdvice.unpaired)
        }
    }

    private func advice(
        _ subject: String, _ name: String?, _ address: DeviceAddress?, _ text: String
    ) -> Line {
        .problem(
            "advice",
            [
                "about": .string(subject), "advice": .string(text),
                "name": name.map { .string($0) }, "address": address.map { .string($0.text) },
            ], text)
    }
}
