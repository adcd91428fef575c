package import ANCSEvents
package import JSONText

extension LinkParameters {
    /// What the link has as an object: times in milliseconds.
    package var json: JSONValue {
        .object(present: [
            "interval": .milliseconds(interval), "latency": .integer(latency),
            "timeout": .milliseconds(supervisionTimeout), "kept": isKept ? true : nil,
        ])
    }
}

extension JSONValue {
    /// A duration in milliseconds: an integer where it is a whole number of them.
    package static func milliseconds(_ duration: Duration) -> JSONValue {
        let milliseconds = duration / .milliseconds(1)
        return Int(exactly: milliseconds).map { .integer($0) } ?? .number(milliseconds)
    }
}
