internal import FoundationEssentials

extension JSONValue {
    /// Why a text is not JSON.
    public struct ParsingError: Error, Hashable, Sendable {
        /// What is wrong, in words, with the place where it is known.
        public var message: String
    }

    /// Reads one JSON value. Members of objects come in the order of their names, because the
    /// decoder does not tell the order in which they stood.
    public init(parsing text: String) throws(ParsingError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Reads one JSON value from its UTF-8 octets.
    public init(parsing octets: [UInt8]) throws(ParsingError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(octets))
        } catch let error as Swift.DecodingError {
            throw ParsingError(message: Self.message(of: error, in: octets))
        } catch {
            throw ParsingError(message: "not JSON")
        }
    }

    /// What Foundation says of a syntax error is for programmers.
    private static func message(of error: Swift.DecodingError, in octets: [UInt8]) -> String {
        do throws(JSONSyntax.Fault) { try JSONSyntax.check(octets) } catch { return error.message }
        return switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context),
            .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.debugDescription
        @unknown default: "not JSON"
        }
    }
}

extension JSONValue: Decodable {
    /// Decodes whatever JSON value there is.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            let members = try container.decode([String: JSONValue].self)
            self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
        }
    }
}
