internal import Kinds
internal import HCIMonikers

extension Kind {
    /// Reads a value of the file; reports its mistakes, and returns `nil` if it has any.
    func read(_ value: TOMLValue, _ complaints: inout ConfigurationComplaints) -> Value? {
        let written = value.written
        var mistakes: [Mismatch] = []
        let meant = read(written, &mistakes)
        complaints.complain(value, written, mistakes)
        return meant
    }
}

extension TOMLValue {
    /// The value as a ``Kind`` reads it. A date stands for `null`, which is a value of no setting.
    var written: JSONValue {
        switch content {
        case .string(let text): .string(text)
        case .integer(let number): .integer(Int(number))
        case .float(let number): .number(number)
        case .boolean(let isSo): .boolean(isSo)
        case .date: .null
        case .array(let elements): .array(elements.map(\.written))
        case .table(let members): .object(members.map { .init($0.key, $0.value.written) })
        }
    }
}

extension ConfigurationComplaints {
    fileprivate mutating func complain(
        _ value: TOMLValue, _ written: JSONValue, _ mistakes: [Mismatch]
    ) {
        for mistake in mistakes {
            guard let index = mistake.element, case .array(let elements) = value.content,
                case .array(let texts) = written
            else {
                complain(value, mistake, meant: mistake.meant(by: written))
                continue
            }
            complain(elements[index], mistake, meant: mistake.meant(by: texts[index]))
        }
    }

    private mutating func complain(_ value: TOMLValue, _ mistake: Mismatch, meant: String?) {
        switch mistake.fault {
        case .expected(let expected), .expectedOnly(let expected):
            complain(value, expected: expected, meant: meant)
        case .message(let message):
            var place = value.place
            if let offset = mistake.offset, case .string(let text) = value.content {
                place = self.place(of: offset, in: text, place)
            }
            complain(at: place, message)
        }
    }
}

extension Kind<Int> {
    /// How long history is kept, in days.
    static let retention = Kind.text(
        "\"0\" to keep nothing, or a number of days or weeks such as \"7d\" or \"12w\", "
            + "at most \"\(maximumRetention)d\""
    ) { text in
        if text == "0" { return 0 }
        let days = ["d": 1, "w": 7][text.last.map(String.init) ?? ""]
        guard let days, let number = DecimalText.number(text.dropLast()),
            number * days <= maximumRetention, number > 0
        else { return nil }
        return number * days
    }

    private static let maximumRetention = 3660
}

extension Kind<String> {
    /// A text on one line.
    static func text(octets: ClosedRange<Int>) -> Kind {
        let lower = octets.lowerBound == 0 ? "at most" : "\(octets.lowerBound) to"
        return .text("a string of \(lower) \(octets.upperBound) octets") { text in
            guard octets.contains(text.utf8.count),
                !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return nil }
            return text
        }
    }

    /// The controller or the adapter of bluetoothd.
    static let adapter = Kind(adapters) { value, mistakes in
        guard let text = value.string else {
            mistakes.append(Mismatch(expected: adapters))
            return nil
        }
        if text == "bluez" { return text }
        if text.hasPrefix("bluez:") {
            if isAdapter(text.dropFirst("bluez:".count)) { return text }
            mistakes.append(
                Mismatch(
                    expected: "the name or the address of an adapter after \"bluez:\", such as "
                        + "\"hci0\" or \"00:11:22:33:44:55\""))
            return nil
        }
        do throws(IOError) { _ = try TransportMoniker(parsing: text) } catch {
            mistakes.append(Mismatch(expected: adapters, among: ["bluez"]))
            return nil
        }
        return text
    }

    private static let adapters =
        "\"bluez\", an adapter of bluetoothd such as \"bluez:hci0\", or a moniker such as "
        + "\"hci-socket:0\""

    /// `hci0`, or `00:11:22:33:44:55`.
    private static func isAdapter(_ text: Substring) -> Bool {
        if text.hasPrefix("hci") { return DecimalText.number(text.dropFirst(3)) != nil }
        return text.isDeviceAddress
    }
}
