/// A procedure that runs once per link, for all clients that need its result.
enum SharedProcedure: Sendable {
    case notWanted
    /// It is running; these requests wait for it.
    case underWay([ClientRequest])
    case done

    /// How a request joins the procedure.
    enum Joining {
        case begins
        case waits
        /// It has already ended.
        case isLate
    }

    /// Whether nobody has asked for it yet.
    var isNotWanted: Bool { if case .notWanted = self { true } else { false } }

    /// Joins a client, or with `nil` the system itself, which does not wait.
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

    /// The procedure has ended; returns the requests that waited for it.
    mutating func end() -> [ClientRequest] {
        defer { self = .done }
        return if case .underWay(let requests) = self { requests } else { [] }
    }

    /// Its result no longer holds: the next request repeats it.
    mutating func repeatIfDone() { if case .done = self { self = .notWanted } }

    /// Removes the requests of a client and returns them.
    mutating func release(_ client: ClientID) -> [ClientRequest] {
        guard case .underWay(let requests) = self else { return [] }
        self = .underWay(requests.filter { $0.client != client })
        return requests.filter { $0.client == client }
    }
}
