package import ANCSKit
package import JSONText

extension LinkParameters {
    /// What the link has as an object: times in milliseconds.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("interval", Self.json(interval)), .init("latency", .integer(latency)),
            .init("timeout", Self.json(supervisionTimeout)),
        ]
        if isKept { members.append(.init("kept", true)) }
        return .object(members)
    }

    private static func json(_ duration: Duration) -> JSONValue {
        let milliseconds = milliseconds(duration)
        return Int(exactly: milliseconds).map { .integer($0) } ?? .number(milliseconds)
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        duration / .milliseconds(1)
    }
}
