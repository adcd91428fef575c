/// A procedure that is done once on a link, for all clients that want what comes of it.
enum SharedProcedure: Sendable {
    case notWanted
    /// These wait for it.
    case underWay([ClientRequest])
    case done

    /// What a wish for it means.
    enum Joining {
        case begins
        case waits
        /// It has been done.
        case isLate
    }

    /// A client wants it, or the system itself, which does not wait.
    mutating func join(_ request: ClientRequest?) -> Joining {
        let wanted = request.map { [$0] } ?? []
        switch self {
        case .notWanted:
            self = .underWay(wanted)
            return .begins
        case .underWay(let others):
            self = .underWay(others + wanted)
            return .waits
        case .done: return .isLate
        }
    }

    /// It has been done: those that waited for it.
    mutating func end() -> [ClientRequest] {
        defer { self = .done }
        return if case .underWay(let requests) = self { requests } else { [] }
    }

    /// A client waits for nothing any more: what it waited for.
    mutating func release(_ client: ClientID) -> [ClientRequest] {
        guard case .underWay(let requests) = self else { return [] }
        self = .underWay(requests.filter { $0.client != client })
        return requests.filter { $0.client == client }
    }
}
