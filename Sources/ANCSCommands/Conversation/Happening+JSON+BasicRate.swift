internal import ANCSCapture
internal import BluetoothLE
internal import JSONText

/// The members of what only links of BR/EDR show.
extension Happening.ChannelEvent {
    var members: [JSONValue.Member] {
        switch self {
        case .opened(let multiplexer, let side):
            [.init("state", "opened"), side.member] + multiplexer.members
        case .refused(let multiplexer, let side, let result):
            [.init("state", "refused"), side.member] + multiplexer.members
                + [.init("result", .integer(Int(result)))]
        case .closed(let multiplexer, let side):
            [.init("state", "closed"), side.member] + multiplexer.members
        }
    }
}

extension ProtocolMultiplexer {
    fileprivate var members: [JSONValue.Member] {
        [.init("psm", .integer(Int(rawValue))), .init("protocol", .string(text))]
    }
}

extension Happening.NotShown {
    var json: JSONValue {
        [
            "what": .string(what), "packets": .integer(packets), "octets": .integer(octets),
        ]
    }
}

extension Happening.BasicRateVerdict {
    var members: [JSONValue.Member] {
        let (subject, name, address) =
            switch self {
            case .pairedOnly(let name, let address, _): ("phonePairedOverBREDR", name, address)
            case .accessoryPairedOnly(let name, let address):
                ("accessoryPairedOverBREDR", name, address)
            case .notPaired: ("phoneOverBREDR", nil, nil)
            }
        var members: [JSONValue.Member] = [
            .init("about", .string(subject)), .init("advice", .string(text)),
        ]
        if let name { members.append(.init("name", .string(name))) }
        if let address { members.append(.init("address", .string(address.text))) }
        return members
    }
}
