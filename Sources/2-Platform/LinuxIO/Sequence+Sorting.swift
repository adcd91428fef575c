// The sorts of the standard library are compiled again for every type that they sort. Here they sort places, once
// by text and once by number, and nothing else is compiled for a type but the way back from the places.
extension Sequence {
    /// The elements in ascending order of a text of each; those with equal texts stay in their order.
    @inlinable package func sorted(byText text: (Element) -> String) -> [Element] {
        let elements = Array(self)
        guard elements.count > 1 else { return elements }
        return places(inOrderOf: elements.map(text)).map { elements[$0] }
    }

    /// The elements in ascending order of a number of each; those with equal numbers stay in their order.
    @inlinable package func sorted(
        byNumber number: (Element) -> some FixedWidthInteger & UnsignedInteger
    ) -> [Element] {
        let elements = Array(self)
        guard elements.count > 1 else { return elements }
        return places(inOrderOf: elements.map { UInt64(number($0)) }).map { elements[$0] }
    }
}

/// The places of texts in ascending order.
@usableFromInline @inline(never)
package func places(inOrderOf texts: [String]) -> [Int] {
    texts.indices.sorted { texts[$0] < texts[$1] }
}

/// The places of numbers in ascending order.
@usableFromInline @inline(never)
package func places(inOrderOf numbers: [UInt64]) -> [Int] {
    numbers.indices.sorted { numbers[$0] < numbers[$1] }
}
