package import Octets

/// A PDU or a part of one that says once which fields it has: from its ``layout``, it is both decoded and
/// encoded.
///
///     package static let layout = inOrder(Self.init) { ($0.status, $0.handle) }
package protocol HCIStructure: HCIFieldSequence {
    /// The type of ``layout``; inferred.
    associatedtype Layout: HCILayout<Self>
    /// The fields in the order of the specification, and what makes a value of them.
    static var layout: Layout { get }
}

extension HCIStructure {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try Self.layout.take(from: &rest)
    }

    package var fields: some HCIField { Self.layout.fields(of: self) }
}

/// The fields of a structure: what makes it of them, and what finds them in it. Embedded Swift has no parameter
/// packs, so there is a type for each number of fields. Neither function captures anything, so a layout is a
/// constant that takes no memory and costs no call.
package protocol HCILayout<Whole>: Sendable {
    /// The structure.
    associatedtype Whole
    /// Its fields in a row.
    associatedtype Row: HCIField
    /// Takes a structure from the front of `rest`.
    func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole
    /// The fields of a structure.
    func fields(of whole: Whole) -> Row
}

package struct HCILayout1<Whole, A: HCIDecodableField>: HCILayout {
    let make: @Sendable (A) -> Whole
    let split: @Sendable (Whole) -> A

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        make(try rest.take())
    }

    package func fields(of whole: Whole) -> some HCIField { split(whole) }
}

package struct HCILayout2<Whole, A: HCIDecodableField, B: HCIDecodableField>: HCILayout {
    let make: @Sendable (A, B) -> Whole
    let split: @Sendable (Whole) -> (A, B)

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some HCIField {
        let (a, b) = split(whole)
        return inOrder(a, b)
    }
}

package struct HCILayout3<
    Whole, A: HCIDecodableField, B: HCIDecodableField, C: HCIDecodableField
>: HCILayout {
    let make: @Sendable (A, B, C) -> Whole
    let split: @Sendable (Whole) -> (A, B, C)

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some HCIField {
        let (a, b, c) = split(whole)
        return inOrder(a, b, c)
    }
}

package struct HCILayout4<
    Whole, A: HCIDecodableField, B: HCIDecodableField, C: HCIDecodableField, D: HCIDecodableField
>: HCILayout {
    let make: @Sendable (A, B, C, D) -> Whole
    let split: @Sendable (Whole) -> (A, B, C, D)

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some HCIField {
        let (a, b, c, d) = split(whole)
        return inOrder(a, b, c, d)
    }
}

package struct HCILayout5<
    Whole, A: HCIDecodableField, B: HCIDecodableField, C: HCIDecodableField, D: HCIDecodableField,
    E: HCIDecodableField
>: HCILayout {
    let make: @Sendable (A, B, C, D, E) -> Whole
    let split: @Sendable (Whole) -> (A, B, C, D, E)

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some HCIField {
        let (a, b, c, d, e) = split(whole)
        return inOrder(a, b, c, d, e)
    }
}

// MARK: - Layouts by their numbers of fields

/// A structure of one field: what makes it, and the field.
package func inOrder<Whole, A>(
    _ make: @escaping @Sendable (A) -> Whole, _ split: @escaping @Sendable (Whole) -> A
) -> HCILayout1<Whole, A> { HCILayout1(make: make, split: split) }

/// A structure of these fields, one after the other: what makes it, and the fields.
package func inOrder<Whole, A, B>(
    _ make: @escaping @Sendable (A, B) -> Whole, _ split: @escaping @Sendable (Whole) -> (A, B)
) -> HCILayout2<Whole, A, B> { HCILayout2(make: make, split: split) }

package func inOrder<Whole, A, B, C>(
    _ make: @escaping @Sendable (A, B, C) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C)
) -> HCILayout3<Whole, A, B, C> { HCILayout3(make: make, split: split) }

package func inOrder<Whole, A, B, C, D>(
    _ make: @escaping @Sendable (A, B, C, D) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C, D)
) -> HCILayout4<Whole, A, B, C, D> { HCILayout4(make: make, split: split) }

package func inOrder<Whole, A, B, C, D, E>(
    _ make: @escaping @Sendable (A, B, C, D, E) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C, D, E)
) -> HCILayout5<Whole, A, B, C, D, E> { HCILayout5(make: make, split: split) }
