package import ANCSReceiver
package import JSONText

extension LinkParameters {
    /// What the link has as an object: times in milliseconds.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("interval", .milliseconds(interval)), .init("latency", .integer(latency)),
            .init("timeout", .milliseconds(supervisionTimeout)),
        ]
        if isKept { members.append(.init("kept", true)) }
        return .object(members)
    }
}

extension JSONValue {
    /// A duration in milliseconds: an integer where it is a whole number of them.
    package static func milliseconds(_ duration: Duration) -> JSONValue {
        let milliseconds = duration / .milliseconds(1)
        return Int(exactly: milliseconds).map { .integer($0) } ?? .number(milliseconds)
    }
}
