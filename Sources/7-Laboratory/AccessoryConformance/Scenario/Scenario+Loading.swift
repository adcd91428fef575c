internal import Kinds
internal import CScenarios
internal import LinuxIO
internal import Printing

extension Scenario {
    /// The names of the scenarios that the package has, which are paths in its folder `Scenarios`: `conformance`,
    /// `demo`, `faults/lost-answer`, …
    public static let names: [String] = shipped.map(\.name)

    /// A scenario of the package.
    ///
    /// - Parameter name: One of ``names``.
    /// - Throws: ``ScenarioError/unknownName(_:suggestion:)``.
    public init(named name: String) throws(ScenarioError) {
        guard let entry = Self.shipped.first(where: { $0.name == name }) else {
            throw .unknownName(name, suggestion: NearestWord.of(name, in: Self.names))
        }
        try self.init(entry.text.octets, file: name)
    }

    /// The scenario in a file; `-` is standard input.
    ///
    /// - Parameter path: The path of a file of at most 16 MiB.
    /// - Throws: ``ScenarioError`` if it cannot be read, or with all mistakes in it.
    public init(contentsOf path: String) throws(ScenarioError) {
        let octets: [UInt8]
        do throws(IOError) { octets = try TextFile.read(path) } catch { throw .unreadable(error) }
        try self.init(octets, file: path)
    }

    /// The scenario in a text.
    ///
    /// - Parameter json: The text, as `Documentation/Scenarios.md` describes it.
    /// - Throws: ``ScenarioError/invalid(file:_:)`` with all mistakes in it; the file is called *scenario*.
    public init(json: String) throws(ScenarioError) {
        try self.init(Array(json.utf8), file: "scenario")
    }

    private init(_ octets: [UInt8], file: String) throws(ScenarioError) {
        do throws(DocumentErrors) { try self.init(parsing: octets) } catch {
            throw .invalid(file: file, error.mistakes.map(ScenarioMistake.init))
        }
    }

    // MARK: The scenarios of the package

    /// How many seconds a scenario of the package takes with an accessory that answers at once; `nil` for a name that
    /// it does not have.
    package static func usualSeconds(of name: String) -> Int? {
        names.firstIndex(of: name).map { Int(cscenarios_seconds(Int32($0))) }
    }

    /// The files as the compiler embedded them; each ends with an octet 0.
    private static let shipped: [(name: String, text: ShippedText)] =
        (0..<cscenarios_count()).compactMap { index in
            guard let name = cscenarios_name(index), let text = cscenarios_text(index) else {
                return nil
            }
            return (String(cString: name), ShippedText(text: text))
        }
}

/// The text of a scenario in the program itself, which is there for as long as the program runs.
private struct ShippedText: @unchecked Sendable {
    let text: UnsafePointer<CChar>

    var octets: [UInt8] { Array(String(cString: text).utf8) }
}
