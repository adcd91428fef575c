/// What a server can see while it serves a PDU.
struct ServerScene {
    var table: AttributeTable
    var security: LinkSecurity
    var mtu: Int

    /// Whether the client can see an attribute of the table.
    func shows(_ handle: AttributeHandle) -> Bool {
        security.isEncrypted || !table.isHidden(handle)
    }

    /// Whether services are hidden from the client.
    var hidesServices: Bool { !security.isEncrypted && !table.hiddenRanges.isEmpty }

    /// The attribute with this handle, if the client can see it.
    subscript(handle: AttributeHandle) -> AttributeTable.Attribute? {
        shows(handle) ? table[handle] : nil
    }

    /// The attributes in a range that the client can see, in order of handles.
    subscript(range: AttributeHandleRange) -> ArraySlice<AttributeTable.Attribute> {
        guard hidesServices else { return table[range] }
        return table[range].filter { !table.isHidden($0.handle) }[...]
    }
}

/// A request, and the application's answers to questions about it. It is evaluated from the start after each
/// answer, so that requests with and without questions take the same path.
struct ServerRequest: Sendable {
    enum Question: Equatable, Sendable {
        case read(AttributeHandle)
        /// All writes of a request, which succeed or fail together.
        case write([AttributeWrite])
    }

    struct Answer: Sendable {
        var question: Question
        var answer: Result<[UInt8], ATTErrorCode>
        /// The attribute that the application refuses to write.
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

    /// Whether the request discovers attributes.
    var isDiscovery: Bool {
        switch pdu {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readByGroupTypeRequest:
            true
        default: false
        }
    }

    /// Whether an error response refuses a write without asking the owner of the attribute. A client that
    /// knew the table would not have made such a request.
    var isOwnRefusalOfWrite: Bool {
        switch pdu {
        case .writeRequest, .prepareWriteRequest, .executeWriteRequest: answers.isEmpty
        default: false
        }
    }
}

/// Whether a client that supports robust caching knows the current table. Core Vol 3, Part G, 2.5.2.1.
enum Awareness: Sendable {
    case aware
    case unaware
    /// It was informed, or it read the Database Hash; its next PDU makes it aware.
    case informed

    /// Whether a request is served. One about a handle whose meaning may have changed is not.
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
    /// The handle of the attribute that the request is about; `nil` for a discovery.
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
