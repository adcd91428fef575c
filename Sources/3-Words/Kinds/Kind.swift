internal import Printing
package import JSONText

/// A kind of value: which values are valid, how one is read, and what its JSON Schema and its completion are.
///
/// There is one for all places where a person writes a value: a word of a command line or of a prompt, a
/// setting in TOML, a member in JSON. Each of them stands for a JSON value (a word as ``WordForm`` says), which
/// the kind reads, and each says in its own way where a mistake is. A table joins a name, a kind and the key
/// path where the value is stored.
package struct Kind<Value: Sendable>: Sendable {
    /// The meaning of a value; `nil` after its mistakes were added.
    package typealias Reading = @Sendable (JSONValue, inout [Mismatch]) -> Value?

    /// The valid values, as a message names them: "true or false".
    package var expected: String
    /// The JSON Schema, and how the value is typed and completed.
    package var schema: SchemaFragment
    package let read: Reading

    package init(_ expected: String, _ schema: SchemaFragment = .text, reading: @escaping Reading) {
        self.expected = expected
        self.schema = schema
        read = reading
    }

    /// A kind whose values are valid or invalid as a whole: `meaning` returns `nil` for an invalid one.
    package init(
        _ expected: String, _ schema: SchemaFragment = .text,
        _ meaning: @escaping @Sendable (JSONValue) -> Value?
    ) {
        self.init(expected, schema) { value, mistakes in
            let meant = meaning(value)
            if meant == nil { mistakes.append(Mismatch(expected: expected)) }
            return meant
        }
    }

    /// The same kind with its values transformed.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> Kind<
        Other
    > {
        Kind<Other>(expected, schema) { [read] value, mistakes in
            read(value, &mistakes).map(transform)
        }
    }

    /// A kind of text.
    package static func text(
        _ expected: String, typed form: WordForm = .text,
        _ meaning: @escaping @Sendable (String) -> Value?
    ) -> Self { Self(expected, SchemaFragment.text.typed(form)) { $0.string.flatMap(meaning) } }
}

/// A mistake in a value.
package struct Mismatch: Equatable, Sendable {
    /// What is wrong.
    package enum Fault: Equatable, Sendable {
        /// Something else would be valid.
        case expected(String)
        /// The same, where the value that was found is not worth repeating.
        case expectedOnly(String)
        /// A whole sentence.
        case message(String)
    }

    package var fault: Fault
    /// Words of which one was perhaps meant.
    package var words: [String]
    /// The number of the element, for a mistake in an element of a list.
    package var element: Int?
    /// The number of the Unicode scalar within the string at which the mistake is.
    package var offset: Int?

    package init(_ fault: Fault, words: [String] = [], offset: Int? = nil) {
        (self.fault, self.words, self.offset) = (fault, words, offset)
    }

    package init(expected: String, among words: [String] = []) {
        self.init(.expected(expected), words: words)
    }

    /// What would be valid, or what is wrong.
    package var expected: String {
        switch fault {
        case .expected(let text), .expectedOnly(let text), .message(let text): text
        }
    }

    /// The word that was probably meant by the value.
    package func meant(by value: JSONValue) -> String? {
        value.string.flatMap { NearestWord.of($0, in: words) }
    }
}
