/// A field of a value that was written to the Control Point, as a report draws it.
package struct EvidenceOctets: Hashable, Sendable {
    /// The name of the field in the specification.
    package var name: String
    /// Its octets as far as they are there.
    package var octets: [UInt8]
    /// How many octets it lacks.
    package var missing = 0
    /// Whether it breaks the requirement.
    package var isWrong = false

    /// The octets in hexadecimal, and what is missing.
    package var text: String {
        let parts = octets.isEmpty ? [] : [octets.hexText]
        return (parts + (missing > 0 ? ["\(missing) missing"] : [])).joined(separator: ", ")
    }
}
