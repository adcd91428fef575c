internal import Printing

/// A fault in a configuration file, and its place.
package struct ConfigurationFault: Error, Equatable, Sendable {
    /// The file.
    package var path: String
    /// The place; `nil` if the file cannot be read at all.
    package var place: TextPlace?
    /// What is wrong and what would be valid, in one sentence.
    package var message: String

    /// `FILE:LINE:COLUMN: message`, safe for a terminal.
    package var line: String { TerminalText.visible(text) }

    /// The same, as it is.
    package var text: String {
        let position = place.map { ":\($0.line):\($0.column)" } ?? ""
        return "\(path)\(position): \(message)"
    }
}

/// All faults in a configuration file, in order.
package struct ConfigurationFaults: Error, Equatable, Sendable {
    package var faults: [ConfigurationFault]

    package init(_ faults: [ConfigurationFault]) { self.faults = faults }

    /// One line for each fault.
    package var lines: [String] { faults.map(\.line) }
}

/// Collects faults while a document is being read.
struct ConfigurationComplaints {
    /// How many faults are kept; the last line counts the others.
    private static let maximumCount = 100

    let path: String
    /// The octets of the file.
    let text: [UInt8]
    /// The programs that were read.
    var programs: [ConfiguredProgram] = []
    private var faults: [ConfigurationFault] = []

    init(path: String, text: [UInt8]) {
        self.path = path
        self.text = text
    }

    var isEmpty: Bool { faults.isEmpty }
    var count: Int { faults.count }

    mutating func complain(at place: TextPlace, _ message: String) {
        faults.append(ConfigurationFault(path: path, place: place, message: message))
    }

    /// Adds a fault: another value is expected here.
    mutating func complain(_ value: TOMLValue, expected: String, meant: String? = nil) {
        let suggestion = meant.map { "; did you mean \"\($0)\"?" } ?? ""
        complain(at: value.place, "expected \(expected), found \(value.excerpt)\(suggestion)")
    }

    /// Adds a fault: a key or a section has an unknown name. Suggests the nearest of the `known` names, or
    /// lists them.
    mutating func complain(
        at place: TextPlace, unknown what: String, _ name: String, among known: [String]
    ) {
        let suggestion = NearestWord.of(name, in: known).map { "; did you mean \"\($0)\"?" }
        complain(
            at: place,
            "unknown \(what) \"\(name.shortened)\"" + (suggestion ?? ": expected \(known.listed)"))
    }

    /// What was found, in the order of the file.
    var found: ConfigurationFaults {
        let sorted = faults.sorted(byNumber: { $0.place?.number ?? 0 })
        guard sorted.count > Self.maximumCount else { return ConfigurationFaults(sorted) }
        let rest = ConfigurationFault(
            path: path, message: "\(sorted.count - Self.maximumCount) more faults")
        return ConfigurationFaults(sorted.prefix(Self.maximumCount) + [rest])
    }
}

extension TOMLValue {
    /// The value, short enough for one line.
    var excerpt: String {
        switch content {
        case .string(let text): "\"\(text.shortened)\""
        case .integer(let number): String(number)
        case .float(let number): String(number)
        case .boolean(let isSo): isSo ? "true" : "false"
        case .date: "a date"
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .table: "a table"
        }
    }
}

extension String {
    /// At most 60 Unicode scalars of it: a character may consist of any number.
    var shortened: String {
        unicodeScalars.count <= 60 ? self : String(unicodeScalars.prefix(57)) + "..."
    }
}
