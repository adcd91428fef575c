import Foundation
import Octets
import Testing

@Suite("Kept inputs of the fuzzers")
struct KeptInputTests {
    /// An input that once failed; the name of its file describes the failure.
    struct Regression: CustomTestStringConvertible, Sendable {
        var target: FuzzTarget
        var file: URL

        var testDescription: String { "\(target.name): \(file.lastPathComponent)" }

        static let all = FuzzTarget.all.flatMap { target in
            let folder = Bundle.module.bundleURL.appending(path: "Regressions/\(target.name)")
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).sorted { $0.path < $1.path }
                .map { Regression(target: target, file: $0) }
        }
    }

    @Test("what once failed passes", arguments: Regression.all)
    func regression(_ kept: Regression) throws {
        try kept.target.run(Array(Data(contentsOf: kept.file)))
    }

    /// Each line of a seed file is an input in hexadecimal.
    @Test("each seed passes", arguments: FuzzTarget.all)
    func seeds(of target: FuzzTarget) throws {
        let file = Bundle.module.bundleURL.appending(path: "Seeds/\(target.name).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(!lines.isEmpty)
        for (number, line) in lines.enumerated() {
            let input = try #require(Hexadecimal.octets(String(line)))
            #expect(throws: Never.self, "line \(number + 1)") { try target.run(input) }
        }
    }

    @Test("every prefix of a short script is a script", arguments: FuzzTarget.all)
    func short(_ target: FuzzTarget) throws {
        for octet in stride(from: 0, through: UInt8.max, by: 5) {
            for count in 0...3 { try target.run([UInt8](repeating: octet, count: count)) }
        }
    }

    @Test("a folder of regressions belongs to a target")
    func folders() throws {
        let names = Set(FuzzTarget.all.map(\.name))
        let folders = try FileManager.default.contentsOfDirectory(
            at: Bundle.module.bundleURL.appending(path: "Regressions"),
            includingPropertiesForKeys: nil)
        for folder in folders { #expect(names.contains(folder.lastPathComponent)) }
    }
}
