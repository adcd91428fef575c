internal import DeviceCommandKit

/// What `ancs gatt` shows of a peer, with a line for each service, characteristic and descriptor.
package struct GATTReport: Sendable {
    /// The result of reading a value.
    enum Reading: Equatable, Sendable {
        case value([UInt8])
        case refused(ATTErrorCode)
        /// The value was not read.
        case none
    }

    let isJSON: Bool
    /// The width of the terminal in columns; `nil` for other outputs.
    private let width: Int?
    private let paint: TerminalPaint
    private var titleWidth = 0
    private var propertyWidth = 0

    init(isJSON: Bool, width: Int?, isColored: Bool) {
        self.isJSON = isJSON
        self.width = width
        paint = TerminalPaint(isColored: isColored)
    }

    /// The object, or for people the text, which is the sentence where the columns are not concerned.
    private func output(_ line: Line, _ text: @autoclosure () -> String? = nil) -> String {
        if isJSON { return line.text ?? "" }
        return text() ?? TerminalText.visible(line.sentence ?? "")
    }

    /// The line about the device that has connected.
    func connected(
        _ address: DeviceAddress?, _ identifier: PeerIdentifier, name: String?
    ) -> String {
        let line = Line(
            "connected", Self.device.members(of: (address, identifier, name)),
            (address?.textAndKind ?? identifier.text) + (name.map { ", \($0)" } ?? ""))
        return output(line, paint(TerminalText.visible(line.sentence ?? ""), .bold))
    }

    /// The line at the end of the link.
    func disconnected(_ reason: String) -> String? {
        isJSON ? output(Line("disconnected", ["reason": .string(reason)])) : nil
    }

    /// Makes the columns wide enough for a table whose items are shown one by one.
    mutating func layOut(_ table: PeerTable) {
        let titles = table.items.filter { !$0.isService }.map {
            TerminalText.width(of: Self.title($0))
        }
        let properties = table.items.map { Self.properties($0).count }
        // Handles and UUIDs are never cut, whatever the window; values can go to the next line.
        titleWidth = min(titles.max() ?? 0, width.map { max(Self.longestUUID, $0 / 2) } ?? .max)
        propertyWidth = min(properties.max() ?? 0, width.map { max(8, $0 / 5) } ?? .max)
    }

    /// The length of `  0x0012  7905F431-B5CE-4E99-A40F-4B1E122D00D0`, in columns.
    private static let longestUUID = 46

    /// A line, or several if the value needs them.
    func line(of item: PeerTable.Item, _ reading: Reading) -> String {
        output(Self.line(of: item, reading), text(of: item, reading))
    }

    // MARK: What happens

    /// The peer sent a value without being asked.
    func pushed(_ item: PeerTable.Item, _ value: [UInt8]) -> String {
        let shown = Shown(item: item, reading: .value(value))
        return output(Line("value", Self.value.members(of: shown)), text(of: item, shown.reading))
    }

    /// The peer accepted a written value.
    func written(_ item: PeerTable.Item, _ value: [UInt8]) -> String {
        output(
            Line("written", Self.value.members(of: Shown(item: item, reading: .value(value)))),
            Self.trimmed(Self.title(item)) + "  written: " + ValueText.text(of: value, item.uuid))
    }

    /// The subscription to a value has begun or ended.
    func subscription(_ item: PeerTable.Item, isSubscribed: Bool) -> String {
        output(
            Line(
                isSubscribed ? "subscribed" : "unsubscribed",
                Self.subscription.members(of: Shown(item: item))),
            Self.title(item) + (isSubscribed ? "  subscribed" : "  no longer subscribed"))
    }

    /// The strength of the peer's signal, in dBm.
    func strength(_ dBm: Int) -> String {
        output(Line("rssi", ["rssi": .integer(dBm)], "\(dBm) dBm"))
    }

    /// The services of the peer have changed.
    var modified: String {
        output(
            Line(
                "servicesModified", [:],
                "the services of the device have changed: discovering them again"))
    }

    /// How many values arrived faster than they could be shown.
    func missed(_ count: Int) -> String {
        output(
            Line(
                "missed", ["count": .integer(count)],
                "\(count) values arrived faster than they could be shown, and were dropped"))
    }

    // MARK: Text

    private func text(of item: PeerTable.Item, _ reading: Reading) -> String {
        let title = Self.title(item)
        if item.isService {
            return paint(width.map { TerminalText.clipped(title, to: $0) } ?? title, .link)
        }
        let properties = TerminalText.clipped(Self.properties(item), to: propertyWidth)
        let left =
            TerminalText.padded(TerminalText.clipped(title, to: titleWidth), to: titleWidth) + "  "
            + TerminalText.padded(properties, to: propertyWidth) + "  "
        let (words, isRefusal) = Self.words(for: reading, of: item)
        func painted(_ text: String) -> String { isRefusal ? paint(text, .dim) : text }
        guard let width, TerminalText.width(of: left + words) > width else {
            return Self.trimmed(left + painted(words))
        }
        // A value that does not fit beside its title is shown below it.
        let room = width - Self.valueIndent.count
        let lines = TerminalText.wrapped(words, to: room, limit: 4).map {
            Self.valueIndent + painted($0)
        }
        return ([Self.trimmed(TerminalText.clipped(left, to: width))] + lines)
            .joined(separator: "\n")
    }

    private static let valueIndent = "          "

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }

    /// `0x0012    Battery Level (2A19)`; descriptors are indented below their characteristics.
    private static func title(_ item: PeerTable.Item) -> String {
        let name = item.name.map { "\($0) (\(item.uuid.text))" } ?? item.uuid.text
        switch item {
        case .service(let service):
            let kind = service.isPrimary ? "" : ", secondary"
            let included = (service.includedServices ?? []).map(\.range.first.text)
            let includes = included.isEmpty ? "" : ", includes \(included.joined(separator: ", "))"
            return
                "\(service.range.first.text)–\(service.range.last.text)  \(name)\(kind)\(includes)"
        case .characteristic: return "  \(item.handle.text)  \(name)"
        case .descriptor: return "  \(item.handle.text)    \(name)"
        }
    }

    private static func properties(_ item: PeerTable.Item) -> String {
        guard let characteristic = item.characteristic else { return "" }
        let short = [
            "writeWithoutResponse": "write without response",
            "authenticatedSignedWrites": "signed write", "extendedProperties": "extended",
        ]
        return characteristic.properties.names.map { short[$0] ?? $0 }.joined(separator: ", ")
    }

    /// The value or the reason why there is none, and whether reading was refused.
    private static func words(
        for reading: Reading, of item: PeerTable.Item
    ) -> (text: String, isRefusal: Bool) {
        switch reading {
        case .none: ("", false)
        case .value(let value): (ValueText.text(of: value, item.uuid), false)
        case .refused(let code): (code.refusal, true)
        }
    }
}

extension ATTErrorCode {
    /// Why a value could not be read, with a hint if pairing may help.
    var refusal: String {
        switch self {
        case .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort:
            "needs pairing"
        case .insufficientAuthorization: "needs its user's permission"
        case .readNotPermitted: "not permitted"
        // ATTErrorCode is open: the name says it.
        default: name.lowercased()
        }
    }
}
