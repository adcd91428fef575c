internal import ANCS

/// Redacts the Data Source: answers are put together, as fragments end anywhere, and their texts are masked.
struct AnswerRedaction {
    private static let maximumAsked = 64
    /// The longest answer, in octets; a longer one is zero.
    private static let maximumCount = 131_072

    /// A command, and the first octets of its answer, which tell whose answer it is (S4).
    private struct Asked {
        var command: ControlPointCommand
        var header: [UInt8]
    }

    /// Those that may be answered, the oldest first.
    private var commands: [Asked] = []
    private var assembler: ResponseAssembler?
    private var octets: [UInt8] = []
    private var spots = Spots()

    /// A command was written.
    mutating func asked(_ octets: [UInt8]) {
        guard let command = try? ControlPointCommand(decoding: octets.span),
            let identity = ResponseIdentity(answering: command)
        else { return }
        if commands.count == Self.maximumAsked { commands.removeFirst() }
        let header = AttributeResponse(identity: identity, attributes: []).octets
        commands.append(Asked(command: command, header: header))
    }

    /// A value of the Data Source.
    mutating func receive(_ value: [UInt8], _ places: Spots, _ redaction: inout Redaction) {
        // As in the analysis: what begins like an expected answer begins that answer.
        if assembler != nil, index(of: value[...], mayBeCut: false) != nil { end(&redaction) }
        var rest = value[...]
        while !rest.isEmpty {
            if assembler == nil {
                guard let found = index(of: rest, mayBeCut: true) else { return }
                assembler = ResponseAssembler(
                    answering: commands.remove(at: found).command, keepingEverything: true)
            }
            let part = places[value.count - rest.count..<value.count]
            redaction.held.hold(part)
            octets += rest
            spots += part
            assembler?.receive(Array(rest).span)
            switch assembler?.progress {
            case .incomplete:
                if octets.count > Self.maximumCount { drop(&redaction) }
                return
            case .complete(let excess):
                // The spots stay: all of the value was held.
                octets.removeLast(excess)
                end(&redaction)
                rest = rest.suffix(excess)
            case .failed, nil:
                end(&redaction)
                return
            }
        }
    }

    /// No more comes of the answer.
    mutating func end(_ redaction: inout Redaction) {
        guard assembler != nil else { return }
        redaction.held.set(redaction.answer(octets), at: spots)
        drop(&redaction)
    }

    private mutating func drop(_ redaction: inout Redaction) {
        redaction.held.release(spots)
        (assembler, octets, spots) = (nil, [], Spots())
    }

    private func index(of octets: ArraySlice<UInt8>, mayBeCut: Bool) -> Int? {
        commands.firstIndex { asked in
            if octets.count >= asked.header.count { return octets.starts(with: asked.header) }
            return mayBeCut && asked.header.starts(with: octets)
        }
    }
}

extension Redaction {
    /// A command, with another app identifier. One that is malformed is so in the same way, or its fault would be
    /// another; of one that is reserved, nothing else is kept.
    mutating func command(ofANCS octets: [UInt8]) -> [UInt8] {
        switch octets.first.map(CommandID.init(rawValue:)) {
        case .getNotificationAttributes?, .performNotificationAction?: return octets
        case .getAppAttributes?:
            let app = octets.dropFirst().prefix { $0 != 0 }
            return octets.prefix(1) + names.app(for: Array(app)) + octets.dropFirst(1 + app.count)
        // CommandID is open.
        default: return octets.prefix(1) + octets.dropFirst().map { _ in 0 }
        }
    }

    /// An answer as far as it goes: identifiers and lengths are kept, values replaced, one that is incomplete is zero.
    mutating func answer(_ octets: [UInt8]) -> [UInt8] {
        var made: [UInt8] = []
        var rest = octets[...]
        let isOfApp = rest.first == CommandID.getAppAttributes.rawValue
        made += rest.prefix(1)
        rest = rest.dropFirst()
        if isOfApp {
            let app = rest.prefix { $0 != 0 }
            guard app.count < rest.count else { return made + rest.map { _ in 0 } }
            made += names.app(for: Array(app)) + [0]
            rest = rest.dropFirst(app.count + 1)
        } else {
            made += rest.prefix(4)
            rest = rest.dropFirst(4)
        }
        while rest.count >= 3 {
            let head = Array(rest.prefix(3))
            let count = Int(head[1]) | Int(head[2]) << 8
            made += head
            rest = rest.dropFirst(3)
            guard rest.count >= count else { break }
            made += value(ofAttribute: head[0], isOfApp: isOfApp, Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return made + rest.map { _ in 0 }
    }

    private mutating func value(ofAttribute id: UInt8, isOfApp: Bool, _ octets: [UInt8]) -> [UInt8]
    {
        guard !isOfApp else { return TextMask.masked(octets) }
        switch NotificationAttributeID(rawValue: id) {
        case .appIdentifier: return names.app(for: octets)
        case .messageSize:
            return octets.allSatisfy { (0x30...0x39).contains($0) }
                ? octets : TextMask.masked(octets)
        case .date: return date(octets)
        default: return TextMask.masked(octets)
        }
    }
}
