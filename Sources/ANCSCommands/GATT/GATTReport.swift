internal import ANCSCapture
internal import Terminal
internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// What `ancs gatt` shows of a peer, with a line for each service, characteristic and descriptor.
struct GATTReport: Sendable {
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

    /// The line about the device that has connected.
    func connected(
        _ address: DeviceAddress?, _ identifier: PeerIdentifier, name: String?
    ) -> String {
        guard isJSON else {
            let address = address.map { "\($0.text) (\($0.kindText))" } ?? identifier.text
            let name = name.map { ", \(TerminalText.visible($0))" } ?? ""
            return paint(address + name, .bold)
        }
        var members: [JSONValue.Member] = [.init("event", "connected")]
        if let address { members.append(.init("peer", address.json)) }
        members.append(.init("identifier", .string(identifier.text)))
        if let name { members.append(.init("name", .string(name))) }
        return JSONValue.object(members).text
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
        isJSON ? Self.json(of: item, reading).text : text(of: item, reading)
    }

    // MARK: What happens

    /// The peer sent a value without being asked.
    func pushed(_ item: PeerTable.Item, _ value: [UInt8]) -> String {
        guard isJSON else { return text(of: item, .value(value)) }
        return event("value", item, Self.json(of: .value(value), item.uuid))
    }

    /// The peer accepted a written value.
    func written(_ item: PeerTable.Item, _ value: [UInt8]) -> String {
        guard isJSON else {
            return Self.trimmed(Self.title(item)) + "  written: "
                + ValueText.text(of: value, item.uuid)
        }
        return event("written", item, Self.json(of: .value(value), item.uuid))
    }

    /// The subscription to a value has begun or ended.
    func subscription(_ item: PeerTable.Item, isSubscribed: Bool) -> String {
        guard isJSON else {
            return Self.title(item) + (isSubscribed ? "  subscribed" : "  no longer subscribed")
        }
        return event(isSubscribed ? "subscribed" : "unsubscribed", item, [])
    }

    /// The strength of the peer's signal, in dBm.
    func strength(_ dBm: Int) -> String {
        isJSON
            ? JSONValue.object([.init("event", "rssi"), .init("rssi", .integer(dBm))]).text
            : "\(dBm) dBm"
    }

    /// The services of the peer have changed.
    var modified: String {
        isJSON
            ? JSONValue.object([.init("event", "servicesModified")]).text
            : "the services of the device have changed: discovering them again"
    }

    /// How many values arrived faster than they could be shown.
    func missed(_ count: Int) -> String {
        isJSON
            ? JSONValue.object([.init("event", "missed"), .init("count", .integer(count))]).text
            : "\(count) values arrived faster than they could be shown, and were dropped"
    }

    private func event(
        _ name: String, _ item: PeerTable.Item, _ more: [JSONValue.Member]
    ) -> String {
        let members: [JSONValue.Member] = [
            .init("event", .string(name)), .init("handle", Self.json(of: item.handle)),
            .init("uuid", .string(item.uuid.text)),
        ]
        return JSONValue.object(members + more).text
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
            let includes =
                included.isEmpty ? "" : ", includes \(included.joined(separator: ", "))"
            return
                "\(service.range.first.text)–\(service.range.last.text)  \(name)\(kind)\(includes)"
        case .characteristic: return "  \(item.handle.text)  \(name)"
        case .descriptor: return "  \(item.handle.text)    \(name)"
        }
    }

    private static func properties(_ item: PeerTable.Item) -> String {
        guard case .characteristic(let characteristic) = item else { return "" }
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

    // MARK: JSON

    private static func json(of item: PeerTable.Item, _ reading: Reading) -> JSONValue {
        var members: [JSONValue.Member] = []
        switch item {
        case .service(let service):
            members = [
                .init("event", "service"), .init("first", json(of: service.range.first)),
                .init("last", json(of: service.range.last)),
            ]
        case .characteristic(let characteristic):
            members = [
                .init("event", "characteristic"),
                .init("declaration", json(of: characteristic.attributes.declaration)),
                .init("handle", json(of: item.handle)),
            ]
        case .descriptor:
            members = [.init("event", "descriptor"), .init("handle", json(of: item.handle))]
        }
        members.append(.init("uuid", .string(item.uuid.text)))
        if let name = item.name { members.append(.init("name", .string(name))) }
        return .object(members + details(of: item) + json(of: reading, item.uuid))
    }

    private static func json(of handle: AttributeHandle) -> JSONValue {
        .integer(Int(handle.rawValue))
    }

    private static func details(of item: PeerTable.Item) -> [JSONValue.Member] {
        switch item {
        case .service(let service):
            let included = (service.includedServices ?? []).map { json(of: $0.range.first) }
            return [
                .init("primary", .boolean(service.isPrimary)), .init("includes", .array(included)),
            ]
        case .characteristic(let characteristic):
            let names = characteristic.properties.names
            return [.init("properties", .array(names.map { .string($0) }))]
        case .descriptor: return []
        }
    }

    private static func json(of reading: Reading, _ uuid: BluetoothUUID) -> [JSONValue.Member] {
        switch reading {
        case .none: return []
        case .value(let value):
            let octets = JSONValue.Member("value", .string(Hexadecimal.text(value)))
            switch ValueText.meaning(of: value, uuid) {
            case .text(let text): return [octets, .init("text", .string(text))]
            case .words(let words): return [octets, .init("meaning", .string(words))]
            case nil: return [octets]
            }
        case .refused(let code):
            return [
                .init("error", .string(code.refusal)),
                .init("attError", .integer(Int(code.rawValue))),
            ]
        }
    }
}

extension ATTErrorCode {
    /// Why a value could not be read, with a hint if pairing may help.
    fileprivate var refusal: String {
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
