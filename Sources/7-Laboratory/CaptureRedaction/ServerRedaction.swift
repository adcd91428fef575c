/// Redacts what a client and a server say to one another over the Attribute Protocol, on all bearers of their link.
struct ServerRedaction {
    private let context = ServerContext()
    private var bearers: [Int: BearerRedaction] = [:]

    mutating func receive(
        _ pdu: [UInt8], _ spots: Spots, on bearer: Int, _ server: ServerKnowledge,
        _ redaction: inout Redaction
    ) {
        bearers[bearer, default: BearerRedaction(context: context)]
            .receive(pdu, spots, server, &redaction)
    }

    /// The link ended.
    mutating func end(_ redaction: inout Redaction) {
        context.answers.end(&redaction)
        for bearer in bearers.keys.sorted() { bearers[bearer]?.end(&redaction) }
    }
}

/// What the bearers of a link have in common: a command may be written on one, and answered on another.
final class ServerContext {
    var answers = AnswerRedaction()
    /// The attribute of AMS that was written to Entity Attribute last, to be read.
    var mediaAttribute: [UInt8] = []
}
