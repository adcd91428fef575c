internal import Kinds
internal import CScenarios

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
        try self.init(entry.octets, file: name)
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
        shipped.first { $0.name == name }?.seconds
    }

    /// The scenarios as the compiler embedded them.
    private static let shipped: [ShippedScenario] = String(cString: cscenarios_list())
        .split(separator: "\n").enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard words.count == 2, let seconds = Int(words[1]),
                let text = cscenarios_text(Int32(index))
            else { return nil }
            return ShippedScenario(name: String(words[0]), seconds: seconds, text: text)
        }
}

/// A scenario of the package. Its text is in the program itself, where it stays for as long as the program runs.
private struct ShippedScenario: @unchecked Sendable {
    let name: String
    let seconds: Int
    let text: UnsafePointer<CChar>

    var octets: [UInt8] { Array(String(cString: text).utf8) }
}
