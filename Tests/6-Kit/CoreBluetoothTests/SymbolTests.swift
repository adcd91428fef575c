import Foundation
import Testing

@Suite("The list of Core Bluetooth's symbols")
struct SymbolTests {
    private enum Standing: String { case same, differs, notOnLinux = "not-on-Linux", ours }

    private static func list() throws -> [(standing: Standing, name: String, reason: String)] {
        let url = try #require(Bundle.module.url(forResource: "symbols", withExtension: "txt"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
                let standing = try #require(Standing(rawValue: String(parts[0])), "\(line)")
                return (standing, String(parts[1]), parts.count > 3 ? String(parts[3]) : "")
            }
    }

    /// The public symbols of the module, as its sources declare them.
    private static func declared() throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/6-Kit/CoreBluetooth").standardized
        let files = try #require(FileManager.default.enumerator(atPath: root.path))
        var names: Set<String> = []
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(
                contentsOf: root.appendingPathComponent(file), encoding: .utf8)
            var source = DeclarationReader()
            names.formUnion(source.publicNames(in: text))
        }
        return names
    }

    @Test("each symbol is listed once, and a difference has a reason")
    func wellFormed() throws {
        let list = try Self.list()
        #expect(Set(list.map(\.name)).count == list.count)
        for entry in list {
            #expect(entry.reason.isEmpty == (entry.standing == .same), "\(entry.name)")
        }
    }

    @Test("what is listed as here is here, and what is not is not")
    func listed() throws {
        let declared = try Self.declared()
        // An initializer that a default argument stands for.
        let standsFor = [
            "CBCentralManager.init(delegate:queue:)", "CBPeripheralManager.init(delegate:queue:)",
        ]
        for entry in try Self.list() where !standsFor.contains(entry.name) {
            #expect(
                declared.contains(entry.name) == (entry.standing != .notOnLinux),
                "\(entry.standing.rawValue) \(entry.name)")
        }
    }

    @Test("what is here is listed")
    func complete() throws {
        let listed = Set(try Self.list().map(\.name))
        let missing = try Self.declared().subtracting(listed).sorted()
        #expect(missing.isEmpty, "\(missing)")
    }
}
