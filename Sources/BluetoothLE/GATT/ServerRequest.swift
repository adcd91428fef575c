/// What a server looks at while it serves one PDU.
struct ServerScene {
    var table: AttributeTable
    var security: LinkSecurity
    var mtu: Int

    /// Whether the client sees an attribute that is in the table.
    func shows(_ handle: AttributeHandle) -> Bool {
        security.isEncrypted || !table.isHidden(handle)
    }

    /// Whether there are services that the client does not see.
    var hidesServices: Bool { !security.isEncrypted && !table.hiddenRanges.isEmpty }

    /// The attribute with this handle, where the client sees it.
    subscript(handle: AttributeHandle) -> AttributeTable.Attribute? {
        shows(handle) ? table[handle] : nil
    }

    /// The attributes in a range that the client sees, by handle.
    subscript(range: AttributeHandleRange) -> ArraySlice<AttributeTable.Attribute> {
        guard hidesServices else { return table[range] }
        return table[range].filter { !table.isHidden($0.handle) }[...]
    }
}

/// A request, and what the application has answered to questions about it. It is evaluated from the
/// start after each answer, so that there is one way through, with or without questions.
struct ServerRequest: Sendable {
    enum Question: Hashable, Sendable {
        case read(AttributeHandle)
        /// All that one request writes: it is taken as a whole or not at all.
        case write([AttributeWrite])
    }

    struct Answer: Sendable {
        var question: Question
        var answer: Result<[UInt8], ATTErrorCode>
        /// Which of several attributes the application does not let be written.
        var refusedHandle: AttributeHandle?
    }

    /// Why there is no response yet.
    enum Obstacle: Error {
        case error(ATTErrorCode, AttributeHandle)
        case question(Question)
    }

    var pdu: ATTClientPDU
    var answers: [Answer] = []

    func answer(to question: Question) -> Answer? { answers.first { $0.question == question } }

    /// Whether it asks which attributes there are.
    var isDiscovery: Bool {
        switch pdu {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readByGroupTypeRequest:
            true
        default: false
        }
    }

    /// Whether an error in response to it refuses a write, without the owner of the attribute having
    /// been asked: a client that knew the table would not have tried.
    var isOwnRefusalOfWrite: Bool {
        switch pdu {
        case .writeRequest, .prepareWriteRequest, .executeWriteRequest: answers.isEmpty
        default: false
        }
    }
}

/// Whether a client that supports robust caching knows the table as it is. Core Vol 3, Part G,
/// 2.5.2.1.
enum Awareness: Sendable {
    case aware
    case unaware
    /// It was told so, or it read the Database Hash: with its next PDU it is aware.
    case informed

    /// Whether a request is served; one about a handle that may have changed its meaning is not.
    mutating func admits(_ request: ATTClientPDU) -> Bool {
        switch self {
        case .aware: return true
        case .informed:
            self = .aware
            return true
        case .unaware:
            if case .readByTypeRequest(_, type: .databaseHash) = request {
                self = .informed
                return true
            }
            guard request.firstHandle != nil else { return true }
            self = .informed
            return false
        }
    }

    mutating func admitsCommand() -> Bool {
        switch self {
        case .aware: return true
        case .informed:
            self = .aware
            return true
        case .unaware: return false
        }
    }
}

extension ATTClientPDU {
    /// The handle of the attribute that the request is about; `nil` where it looks for attributes.
    var firstHandle: AttributeHandle? {
        switch self {
        case .readRequest(let handle), .readBlobRequest(let handle, _),
            .writeRequest(let handle, _), .writeCommand(let handle, _),
            .signedWriteCommand(let handle, _, _), .prepareWriteRequest(let handle, _, _):
            handle
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            handles.first
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
            .readByTypeRequest, .readByGroupTypeRequest, .executeWriteRequest,
            .handleValueConfirmation:
            nil
        }
    }
}
