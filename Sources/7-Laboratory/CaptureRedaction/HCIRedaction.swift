/// What is kept of the packets of HCI: a list of their parameters. What it does not name, and whatever follows, becomes
/// zeros. Core Vol 4, Part E, 7.
enum HCIParameter {
    /// So many octets are kept.
    case kept(Int)
    /// So many become zeros: keys, random numbers, serial numbers.
    case zero(Int)
    /// The kind of an address, and the address: bit 0 of the kind says that it is random.
    case kindAndAddress
    /// A public address, without a kind.
    case address
    /// A random address, without a kind.
    case randomAddress
    /// An identity resolving key.
    case resolvingKey
    /// A name in a field of this length, which ends with NUL.
    case name(Int)
    /// The length of advertising data, and the data.
    case data
    /// The same in an extended advertising report, if it has all the data of the advertisement: a part may begin
    /// within a structure. The fields before it have 23 octets.
    case reportData
    /// The same of a command that sets it, after the operation, which says whether it is all of it.
    case setData
    /// As many reports of advertising as the octet before says, each of these parameters.
    case reports([HCIParameter])
}

extension Redaction {
    /// A command, without its indicator.
    mutating func command(_ packet: [UInt8]) -> [UInt8] {
        guard packet.count >= 3 else { return [UInt8](repeating: 0, count: packet.count) }
        let opcode = UInt16(packet[0]) | UInt16(packet[1]) << 8
        return packet.prefix(3)
            + redacted(packet.dropFirst(3), as: HCIParameter.commands[opcode] ?? [])
    }

    /// An event, without its indicator.
    mutating func event(_ packet: [UInt8]) -> [UInt8] {
        guard packet.count >= 2 else { return [UInt8](repeating: 0, count: packet.count) }
        let parameters = packet.dropFirst(2)
        let head = Array(packet.prefix(2))
        switch packet[0] {
        // HCI_Command_Complete: Num_HCI_Command_Packets, Command_Opcode
        case 0x0E where parameters.count >= 3:
            let opcode = UInt16(packet[3]) | UInt16(packet[4]) << 8
            let results = HCIParameter.results[opcode] ?? [.kept(1)]
            return head + parameters.prefix(3) + redacted(parameters.dropFirst(3), as: results)
        case 0x3E where parameters.count >= 1:  // HCI_LE_Meta
            let list = HCIParameter.lowEnergyEvents[packet[2]] ?? []
            return head + parameters.prefix(1) + redacted(parameters.dropFirst(), as: list)
        default: return head + redacted(parameters, as: HCIParameter.events[packet[0]] ?? [])
        }
    }

    private mutating func redacted(
        _ octets: ArraySlice<UInt8>, as list: [HCIParameter]
    ) -> [UInt8] {
        var (rest, made) = (octets, [UInt8]())
        follow(list, &rest, &made)
        return made + [UInt8](repeating: 0, count: rest.count)
    }

    private mutating func follow(
        _ list: [HCIParameter], _ rest: inout ArraySlice<UInt8>, _ made: inout [UInt8]
    ) {
        for parameter in list {
            switch parameter {
            case .kept(let count): made += take(count, &rest)
            case .zero(let count): made += take(count, &rest).map { _ in 0 }
            case .kindAndAddress:
                guard rest.count >= 7 else { return }
                let kind = take(1, &rest)
                made += kind + address(take(6, &rest), isRandom: (kind.first ?? 0) & 1 == 1)
            case .address:
                guard rest.count >= 6 else { return }
                made += address(take(6, &rest), isRandom: false)
            case .randomAddress:
                guard rest.count >= 6 else { return }
                made += address(take(6, &rest), isRandom: true)
            case .resolvingKey:
                guard rest.count >= 16 else { return }
                made += resolvingKey(take(16, &rest))
            case .name(let count): made += name(take(count, &rest))
            case .data: followData(isWhole: true, &rest, &made)
            case .reportData:
                let status = made.count >= 23 ? made[made.count - 23] >> 5 & 0b11 : 0b11
                followData(isWhole: status == 0 && !isWithinReport, &rest, &made)
                isWithinReport = status == 0b01
            case .setData:
                // Complete data, or unchanged: Core Vol 4, Part E, 7.8.54.
                let operation = made.count >= 2 ? made[made.count - 2] : 0
                followData(isWhole: operation == 3 || operation == 4, &rest, &made)
            case .reports(let report):
                guard let count = made.last else { return }
                for _ in 0..<count where !rest.isEmpty { follow(report, &rest, &made) }
            }
        }
    }

    private mutating func followData(
        isWhole: Bool, _ rest: inout ArraySlice<UInt8>, _ made: inout [UInt8]
    ) {
        guard let count = rest.first else { return }
        made += take(1, &rest)
        let data = take(Int(count), &rest)
        made += isWhole ? advertisingData(data) : [UInt8](repeating: 0, count: data.count)
    }

    private func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }
}

extension HCIParameter {
    /// By opcode.
    fileprivate static let commands: [UInt16: [HCIParameter]] = [
        // Links, and pairing over BR/EDR.
        0x0405: [.address, .kept(7)], 0x0406: [.kept(3)], 0x0408: [.address],
        0x0409: [.address, .kept(1)], 0x040A: [.address, .kept(1)], 0x040B: [.address],
        0x040C: [.address], 0x040D: [.address], 0x040E: [.address], 0x0411: [.kept(2)],
        0x0413: [.kept(3)], 0x0419: [.address, .kept(4)], 0x041A: [.address], 0x041B: [.kept(2)],
        0x041C: [.kept(3)], 0x041D: [.kept(2)], 0x042B: [.address, .kept(3)], 0x042C: [.address],
        0x042D: [.address], 0x0434: [.address, .kept(1)],
        // The controller.
        0x0C01: [.kept(8)], 0x0C13: [.name(248)], 0x0C18: [.kept(2)], 0x0C1A: [.kept(1)],
        0x0C24: [.kept(3)], 0x0C31: [.kept(1)], 0x0C33: [.kept(7)], 0x0C56: [.kept(1)],
        0x0C63: [.kept(8)], 0x0C6D: [.kept(2)], 0x0C7A: [.kept(1)],
        // Low Energy.
        0x2001: [.kept(8)], 0x2005: [.randomAddress],
        0x2006: [.kept(6), .kindAndAddress, .kept(2)], 0x2008: [.data], 0x2009: [.data],
        0x200A: [.kept(1)], 0x200B: [.kept(7)], 0x200C: [.kept(2)],
        0x200D: [.kept(5), .kindAndAddress, .kept(13)], 0x2011: [.kindAndAddress],
        0x2012: [.kindAndAddress], 0x2013: [.kept(14)], 0x2015: [.kept(2)], 0x2016: [.kept(2)],
        0x2019: [.kept(2)], 0x201A: [.kept(2)], 0x201B: [.kept(2)], 0x2020: [.kept(14)],
        0x2021: [.kept(3)], 0x2022: [.kept(6)], 0x2024: [.kept(4)],
        0x2027: [.kindAndAddress, .resolvingKey, .resolvingKey], 0x2028: [.kindAndAddress],
        0x202B: [.kindAndAddress], 0x202C: [.kindAndAddress], 0x202D: [.kept(1)],
        0x202E: [.kept(2)], 0x2030: [.kept(2)], 0x2031: [.kept(3)], 0x2032: [.kept(7)],
        0x2035: [.kept(1), .randomAddress], 0x2036: [.kept(11), .kindAndAddress, .kept(7)],
        0x2037: [.kept(3), .setData], 0x2038: [.kept(3), .setData], 0x2039: [.kept(42)],
        0x203C: [.kept(1)], 0x2041: [.kept(13)], 0x2042: [.kept(6)],
        0x2043: [.kept(2), .kindAndAddress, .kept(49)], 0x204E: [.kindAndAddress, .kept(1)],
    ]

    /// What HCI_Command_Complete returns, by opcode; of others the status is kept.
    fileprivate static let results: [UInt16: [HCIParameter]] = [
        0x0C14: [.kept(1), .name(248)], 0x0C6C: [.kept(3)], 0x1001: [.kept(9)], 0x1002: [.kept(65)],
        0x1003: [.kept(9)], 0x1004: [.kept(11)], 0x1005: [.kept(8)], 0x1009: [.kept(1), .address],
        0x1405: [.kept(4)], 0x1408: [.kept(4)], 0x2002: [.kept(4)], 0x2003: [.kept(9)],
        0x2007: [.kept(2)], 0x200F: [.kept(2)], 0x2015: [.kept(8)], 0x201A: [.kept(3)],
        0x201B: [.kept(3)], 0x201C: [.kept(9)], 0x2020: [.kept(3)], 0x2021: [.kept(3)],
        0x2022: [.kept(3)], 0x2023: [.kept(5)], 0x202A: [.kept(2)],
        0x202B: [.kept(1), .randomAddress], 0x202C: [.kept(1), .randomAddress], 0x202F: [.kept(9)],
        0x2030: [.kept(5)], 0x2036: [.kept(2)], 0x203A: [.kept(3)], 0x203B: [.kept(2)],
    ]

    /// By event code.
    fileprivate static let events: [UInt8: [HCIParameter]] = [
        0x03: [.kept(3), .address, .kept(2)], 0x04: [.address, .kept(4)], 0x05: [.kept(4)],
        0x06: [.kept(3)], 0x07: [.kept(1), .address, .name(248)], 0x08: [.kept(4)],
        0x0B: [.kept(11)], 0x0C: [.kept(8)], 0x0F: [.kept(4)], 0x10: [.kept(1)],
        0x12: [.kept(1), .address, .kept(1)], 0x13: [.kept(255)], 0x16: [.address],
        0x17: [.address], 0x18: [.address, .zero(16), .kept(1)], 0x1A: [.kept(1)],
        0x1B: [.kept(3)], 0x23: [.kept(13)], 0x30: [.kept(3)], 0x31: [.address],
        0x32: [.address, .kept(3)], 0x33: [.address], 0x34: [.address], 0x35: [.address],
        0x36: [.kept(1), .address], 0x3B: [.address], 0x57: [.kept(4)], 0x59: [.kept(5)],
    ]

    /// By subevent code.
    fileprivate static let lowEnergyEvents: [UInt8: [HCIParameter]] = [
        0x01: [.kept(4), .kindAndAddress, .kept(7)],
        0x02: [.kept(1), .reports([.kept(1), .kindAndAddress, .data, .kept(1)])],
        0x03: [.kept(9)], 0x04: [.kept(11)], 0x05: [.kept(2)], 0x06: [.kept(10)],
        0x07: [.kept(10)], 0x08: [.kept(1)], 0x09: [.kept(1)],
        0x0A: [.kept(4), .kindAndAddress, .randomAddress, .randomAddress, .kept(7)],
        0x0C: [.kept(5)],
        0x0D: [
            .kept(1),
            .reports([.kept(2), .kindAndAddress, .kept(7), .kindAndAddress, .reportData]),
        ],
        0x12: [.kept(5)], 0x13: [.kept(1), .kindAndAddress], 0x14: [.kept(3)],
        0x29: [.kept(4), .kindAndAddress, .randomAddress, .randomAddress, .kept(10)],
    ]
}
