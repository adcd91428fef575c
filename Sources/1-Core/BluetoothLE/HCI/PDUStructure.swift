package import Octets

/// A PDU or a part of one that says once which fields it has: from its ``layout``, it is both decoded and
/// encoded.
///
///     package static let layout = inOrder(Self.init) { ($0.status, $0.handle) }
package protocol PDUStructure: PDUFieldSequence {
    /// The type of ``layout``; inferred.
    associatedtype Layout: PDULayout<Self>
    /// The fields in the order of the specification, and what makes a value of them.
    static var layout: Layout { get }
}

extension PDUStructure {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        self = try Self.layout.take(from: &rest)
    }

    package var fields: some PDUField { Self.layout.fields(of: self) }
}

/// The fields of a structure: what makes it of them, and what finds them in it. Embedded Swift has no parameter
/// packs, so there is a type for each number of fields. Neither function captures anything, so a layout is a
/// constant that takes no memory and costs no call.
package protocol PDULayout<Whole>: Sendable {
    /// The structure.
    associatedtype Whole
    /// Its fields in a row.
    associatedtype Row: PDUField
    /// Takes a structure from the front of `rest`.
    func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole
    /// The fields of a structure.
    func fields(of whole: Whole) -> Row
}

package struct PDULayout1<Whole, A: PDUDecodableField>: PDULayout {
    let make: @Sendable (A) -> Whole
    let split: @Sendable (Whole) -> A

    /// The structure of these fields, in their order; a structure's own initializer is not seen in other modules.
    package func callAsFunction(_ a: A) -> Whole { make(a) }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        make(try rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField { split(whole) }
}

package struct PDULayout2<Whole, A: PDUDecodableField, B: PDUDecodableField>: PDULayout {
    let make: @Sendable (A, B) -> Whole
    let split: @Sendable (Whole) -> (A, B)

    package func callAsFunction(_ a: A, _ b: B) -> Whole { make(a, b) }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField {
        let (a, b) = split(whole)
        return inOrder(a, b)
    }
}

package struct PDULayout3<
    Whole, A: PDUDecodableField, B: PDUDecodableField, C: PDUDecodableField
>: PDULayout {
    let make: @Sendable (A, B, C) -> Whole
    let split: @Sendable (Whole) -> (A, B, C)

    package func callAsFunction(_ a: A, _ b: B, _ c: C) -> Whole { make(a, b, c) }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField {
        let (a, b, c) = split(whole)
        return inOrder(a, b, c)
    }
}

package struct PDULayout4<
    Whole, A: PDUDecodableField, B: PDUDecodableField, C: PDUDecodableField, D: PDUDecodableField
>: PDULayout {
    let make: @Sendable (A, B, C, D) -> Whole
    let split: @Sendable (Whole) -> (A, B, C, D)

    package func callAsFunction(_ a: A, _ b: B, _ c: C, _ d: D) -> Whole { make(a, b, c, d) }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField {
        let (a, b, c, d) = split(whole)
        return inOrder(a, b, c, d)
    }
}

package struct PDULayout5<
    Whole, A: PDUDecodableField, B: PDUDecodableField, C: PDUDecodableField, D: PDUDecodableField,
    E: PDUDecodableField
>: PDULayout {
    let make: @Sendable (A, B, C, D, E) -> Whole
    let split: @Sendable (Whole) -> (A, B, C, D, E)

    package func callAsFunction(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) -> Whole {
        make(a, b, c, d, e)
    }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField {
        let (a, b, c, d, e) = split(whole)
        return inOrder(a, b, c, d, e)
    }
}

package struct PDULayout6<
    Whole, A: PDUDecodableField, B: PDUDecodableField, C: PDUDecodableField, D: PDUDecodableField,
    E: PDUDecodableField, F: PDUDecodableField
>: PDULayout {
    let make: @Sendable (A, B, C, D, E, F) -> Whole
    let split: @Sendable (Whole) -> (A, B, C, D, E, F)

    package func callAsFunction(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Whole {
        make(a, b, c, d, e, f)
    }

    package func take(from rest: inout Span<UInt8>) throws(DecodingError) -> Whole {
        try make(rest.take(), rest.take(), rest.take(), rest.take(), rest.take(), rest.take())
    }

    package func fields(of whole: Whole) -> some PDUField {
        let (a, b, c, d, e, f) = split(whole)
        return inOrder(inOrder(a, b, c), inOrder(d, e, f))
    }
}

// MARK: - Layouts by their numbers of fields

/// A structure of one field: what makes it, and the field.
package func inOrder<Whole, A>(
    _ make: @escaping @Sendable (A) -> Whole, _ split: @escaping @Sendable (Whole) -> A
) -> PDULayout1<Whole, A> { PDULayout1(make: make, split: split) }

/// A structure of these fields, one after the other: what makes it, and the fields.
package func inOrder<Whole, A, B>(
    _ make: @escaping @Sendable (A, B) -> Whole, _ split: @escaping @Sendable (Whole) -> (A, B)
) -> PDULayout2<Whole, A, B> { PDULayout2(make: make, split: split) }

package func inOrder<Whole, A, B, C>(
    _ make: @escaping @Sendable (A, B, C) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C)
) -> PDULayout3<Whole, A, B, C> { PDULayout3(make: make, split: split) }

package func inOrder<Whole, A, B, C, D>(
    _ make: @escaping @Sendable (A, B, C, D) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C, D)
) -> PDULayout4<Whole, A, B, C, D> { PDULayout4(make: make, split: split) }

package func inOrder<Whole, A, B, C, D, E>(
    _ make: @escaping @Sendable (A, B, C, D, E) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C, D, E)
) -> PDULayout5<Whole, A, B, C, D, E> { PDULayout5(make: make, split: split) }

package func inOrder<Whole, A, B, C, D, E, F>(
    _ make: @escaping @Sendable (A, B, C, D, E, F) -> Whole,
    _ split: @escaping @Sendable (Whole) -> (A, B, C, D, E, F)
) -> PDULayout6<Whole, A, B, C, D, E, F> { PDULayout6(make: make, split: split) }
