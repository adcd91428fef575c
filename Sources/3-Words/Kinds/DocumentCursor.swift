internal import Printing
package import JSONText

/// An error in a document, with its place.
///
/// A class, because it passes through many readers, and each would be compiled to move all of its parts.
package final class DocumentError: Error, Sendable {
    /// The place, as `$.steps[3].post.category`.
    package let path: String
    /// The expected value, as in "a number of seconds".
    package let expected: String
    /// The value in the document.
    package let found: String
    /// A suggestion: the word that was probably meant.
    package let suggestion: String?
    /// The number of the value in the order of the text, for its line and column.
    package let number: Int
    /// Whether it stands for mistakes that the reader has kept already.
    package let isKept: Bool

    package init(
        path: String, expected: String, found: String, suggestion: String? = nil, number: Int = 0,
        isKept: Bool = false
    ) {
        (self.path, self.expected, self.found) = (path, expected, found)
        (self.suggestion, self.number, self.isKept) = (suggestion, number, isKept)
    }

    /// The part cannot be used, because of mistakes in it that the reader has kept.
    package static let kept = DocumentError(path: "", expected: "", found: "", isKept: true)

    /// The error in one sentence, with its place.
    package var message: String { "\(path): \(sentence)" }

    /// The error without its place.
    package var sentence: String {
        "expected \(expected), found \(found)"
            + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
    }
}

/// All mistakes in a file, in order.
package struct DocumentErrors: Error, Sendable {
    /// How many mistakes are reported; the last line counts the others.
    private static let maximumCount = 100

    package private(set) var errors: [DocumentError]
    /// Whether the text is JSON, so that values have paths.
    private let isDocument: Bool
    private let place: @Sendable (DocumentError) -> (line: Int, column: Int)

    /// The text is not JSON.
    package init(_ error: JSONValue.ParsingError, in octets: [UInt8]) {
        errors = [
            DocumentError(
                path: "line \(error.line), column \(error.column)", expected: error.expected,
                found: Self.excerpt(of: octets, error))
        ]
        place = { _ in (error.line, error.column) }
        isDocument = false
    }

    /// The text at a syntax error, up to the end of the line.
    private static func excerpt(of octets: [UInt8], _ fault: JSONValue.ParsingError) -> String {
        let lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = lines[fault.line - 1].dropFirst(fault.column - 1).prefix(40)
        return rest.isEmpty ? "the end of the line" : String(decoding: rest, as: UTF8.self)
    }

    package init(_ errors: [DocumentError], in document: JSONDocument) {
        self.errors = errors.enumerated().sorted { left, right in
            (left.element.number, left.offset) < (right.element.number, right.offset)
        }.map(\.element)
        place = { document.place(ofValue: $0.number) }
        isDocument = true
    }

    /// The mistakes with their places in the text.
    package var mistakes: [DocumentMistake] {
        errors.map { error in
            let (line, column) = place(error)
            return DocumentMistake(
                line: line, column: column, message: isDocument ? error.message : error.sentence)
        }
    }

    /// `FILE:LINE:COLUMN: message`, a line for each mistake.
    package func lines(of file: String) -> [String] { Self.lines(of: mistakes, in: file) }

    /// The same for mistakes that were found before.
    package static func lines(of mistakes: [DocumentMistake], in file: String) -> [String] {
        let lines = mistakes.prefix(maximumCount).map { mistake in
            "\(file):\(mistake.line):\(mistake.column): \(mistake.message)"
        }
        let rest = mistakes.count - lines.count
        return lines + (rest > 0 ? ["\(file): \(counted(rest, "more mistake"))"] : [])
    }
}

/// A mistake in a document, and where it is.
package struct DocumentMistake: Equatable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The column, from 1.
    package var column: Int
    /// What was expected there and what was found. It may have text from the file.
    package var message: String

    package init(line: Int, column: Int, message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }
}

extension JSONDocument {
    /// Parses a whole document, of which something is then read.
    package init(reading octets: [UInt8]) throws(DocumentErrors) {
        do throws(JSONValue.ParsingError) { try self.init(parsing: octets) } catch {
            throw DocumentErrors(error, in: octets)
        }
    }
}

/// A value in a document together with its place, so that error messages can name the place. A class, as
/// ``DocumentError`` is.
package final class DocumentCursor: Sendable {
    package let value: JSONValue
    package let path: String
    /// The number of the value in the order of the text.
    package let number: Int

    package init(_ value: JSONValue, path: String = "$", number: Int = 0) {
        (self.value, self.path, self.number) = (value, path, number)
    }

    /// The error for another value than the expected one.
    package func error(expected: String, suggestion: String? = nil) -> DocumentError {
        DocumentError(
            path: path, expected: expected, found: Self.excerpt(of: value), suggestion: suggestion,
            number: number)
    }

    /// The value here, cut to fit one line.
    private static func excerpt(of value: JSONValue) -> String {
        let text = value.text
        return text.count <= 60 ? text : text.prefix(57) + "..."
    }

    // MARK: Plain values

    /// What is expected of an app identifier: it must fit into a command that asks for one attribute (R35).
    package static let appIdentifier = "an app identifier of 1 to 509 octets without NUL"

    /// Any string.
    package func string(_ what: String = "a string") throws(DocumentError) -> String {
        guard let string = value.string else { throw error(expected: what) }
        return string
    }

    /// A string that is not empty.
    package func name(_ what: String) throws(DocumentError) -> String {
        let string = try string(what)
        guard !string.isEmpty else { throw error(expected: what + " that is not empty") }
        return string
    }

    /// A value of a kind.
    package func read<Value>(_ kind: Kind<Value>) throws(DocumentError) -> Value {
        var mistakes: [Mismatch] = []
        if let meant = kind.read(value, &mistakes) { return meant }
        let mistake = mistakes.first
        throw error(
            expected: mistake?.expected ?? kind.expected, suggestion: mistake?.meant(by: value))
    }

    /// The elements of an array.
    package func elements(_ what: String) throws(DocumentError) -> [DocumentCursor] {
        guard let elements = value.array else { throw error(expected: what) }
        var next = number + 1
        return elements.enumerated().map { index, element in
            defer { next += element.valueCount }
            return DocumentCursor(element, path: "\(path)[\(index)]", number: next)
        }
    }

    // MARK: Objects

    /// An object with no other members than these.
    package func object(
        _ what: String, allowing allowed: [String]
    ) throws(DocumentError) -> DocumentObject {
        let (object, strangers) = try objectAndStrangers(what, allowing: allowed)
        if let stranger = strangers.first { throw stranger }
        return object
    }

    /// An object, and the mistakes of members with other names than these.
    package func objectAndStrangers(
        _ what: String, allowing allowed: [String]
    ) throws(DocumentError) -> (DocumentObject, strangers: [DocumentError]) {
        let object = DocumentObject(cursor: self, members: try members(what))
        let strangers = object.members.filter { !allowed.contains($0.name) }.map { member in
            DocumentError(
                path: path, expected: "\(what) with \(allowed.listed)",
                found: "the member \(Self.excerpt(of: .string(member.name)))",
                suggestion: NearestWord.of(member.name, in: allowed), number: member.cursor.number)
        }
        return (object, strangers)
    }

    /// All members of an object.
    package func members(_ what: String) throws(DocumentError) -> [(
        name: String, cursor: DocumentCursor
    )] {
        guard let members = value.members else { throw error(expected: what) }
        var next = number + 1
        return members.map { member in
            defer { next += member.value.valueCount }
            return (
                member.name,
                DocumentCursor(member.value, path: Self.path(path, member.name), number: next)
            )
        }
    }

    /// `$.apps["com.example.chat"]`, or `$.steps` where the name needs no quotes.
    private static func path(_ path: String, _ name: String) -> String {
        name.isASCIIWord(with: "$") && !name.isEmpty
            ? "\(path).\(name)" : "\(path)[\(excerpt(of: .string(name)))]"
    }
}

/// An object of a document.
package struct DocumentObject: Sendable {
    package let cursor: DocumentCursor
    package let members: [(name: String, cursor: DocumentCursor)]

    /// A member, or `nil` if it is missing.
    package subscript(name: String) -> DocumentCursor? { members.first { $0.name == name }?.cursor }

    /// A required member.
    package func require(_ name: String, _ what: String) throws(DocumentError) -> DocumentCursor {
        guard let member = self[name] else {
            throw cursor.error(expected: "the member \"\(name)\", \(what)")
        }
        return member
    }
}
