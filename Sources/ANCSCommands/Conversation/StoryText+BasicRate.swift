internal import Terminal
internal import ANCSCapture
internal import ANCSKit
internal import ANCSService
internal import BluetoothLE

/// Links of BR/EDR, for people.
extension StoryText {
    /// A link from before the capture.
    static func textBefore(_ transport: Happening.Transport?) -> String {
        let known = "was connected before the capture began"
        return switch transport {
        case .lowEnergy?: known
        case .basicRate?: known + " · " + Happening.Transport.basicRate.text
        case nil:
            known
                + ", like its channels, so that what is in them cannot be read: record from before the "
                + "phone connects"
        }
    }

    static func basicRateWords(_ facts: Happening.ConnectionFacts) -> [String] {
        let isSomethingElse = facts.deviceClass?.isSomethingElse ?? false
        var words = [isSomethingElse ? "BR/EDR" : Happening.Transport.basicRate.text]
        if let kind = facts.deviceClass?.text { words.append(kind) }
        if let asker = facts.asker { words.append("\(asker.text) connected") }
        return words
    }

    static func text(_ event: Happening.ChannelEvent) -> String {
        switch event {
        case .opened(let multiplexer, let side):
            "\(side.text) opens a channel for \(multiplexer.text)"
        case .refused(let multiplexer, let side, let result):
            "! \(side.other.text) refuses \(side.text) a channel for \(multiplexer.text): "
                + text(ofResult: result)
        case .closed(let multiplexer, let side):
            "\(side.text) closes the channel for \(multiplexer.text)"
        }
    }

    /// Core Vol 3, Part A, 4.3, table 4.6.
    private static func text(ofResult result: UInt16) -> String {
        let name =
            switch result {
            case 0x0002: "it does not have that protocol"
            case 0x0003: "the link is not secure enough"
            case 0x0004: "no resources"
            case 0x0006: "invalid source channel"
            case 0x0007: "the source channel is open already"
            default: "unknown result"
            }
        return "\(name) (0x\(String(result, radix: 16)))"
    }

    static func basicRateText(_ event: Happening.PairingEvent) -> String {
        switch event {
        case .confirming: "this side's user is asked to compare six digits"
        case .confirmed(let side): "the user of \(side.text) says that the digits are the same"
        case .refused(let side): "! \(side.text) refuses to pair"
        case .deriving(let side):
            "\(side.text) asks to derive keys for Low Energy from those of BR/EDR"
        case .derived(true):
            "both sides derive keys for Low Energy: ANCS needs a connection over Low Energy, which the "
                + "iPhone makes when it sees the accessory advertise"
        case .derived(false): "! no keys for Low Energy are derived: a side does not want them"
        case .notDerived(let reason, let side):
            "! no keys for Low Energy are derived: \(side.text) reports: \(reason.message) "
                + "(0x\(String(reason.rawValue, radix: 16)))"
        case .wanted, .began, .agreed, .succeeded, .failed, .stopped, .unfinished, .identity: ""
        }
    }

    /// What kind of key was made.
    static func keyText(_ scheme: Happening.PairingScheme) -> String {
        guard case .basicRate(let kind?) = scheme else { return "" }
        var text = " over BR/EDR"
        if let usesSecureConnections = kind.usesSecureConnections {
            text +=
                usesSecureConnections
                ? " with Secure Connections"
                : " without Secure Connections, so that no keys for Low Energy can be derived"
        }
        if kind.isAuthenticated == false {
            text += ", not protected against a man in the middle"
        }
        return text
    }
}

extension Happening.Transport {
    /// The transport, and what it means for notifications.
    var text: String {
        switch self {
        case .lowEnergy: "Low Energy"
        case .basicRate: "BR/EDR, which has no notifications"
        }
    }
}

extension Happening.NotShown {
    var text: String { "\(counted(packets, "packet")) of \(what) (\(counted(octets, "octet")))" }
}

extension Happening.BasicRateVerdict {
    /// What to do, in the words of `ancs doctor` and `ancs pair`.
    var text: String {
        switch self {
        case .pairedOnly(let name, let address, let ownName):
            BasicRateAdvice.paired(
                TerminalText.visible(name ?? ""), address?.text ?? "ADDRESS",
                ownName: ownName.map { TerminalText.visible($0) })
        case .accessoryPairedOnly(let name, let address):
            BasicRateAdvice.paired(
                accessory: TerminalText.visible(name ?? ""), address?.text ?? "ADDRESS")
        case .notPaired: BasicRateAdvice.unpaired
        }
    }
}
