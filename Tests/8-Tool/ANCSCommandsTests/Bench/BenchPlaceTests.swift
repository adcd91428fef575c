import HCITransports
import Testing

@testable import ANCSCommands
@testable import CommandKit

@Suite("The place of a bench's controller")
struct BenchPlaceTests {
    @Test(
        "the words of the program say what it is",
        arguments: [
            (["x", "--hci=tcp-client:{tcp}"], BenchPlace.tcp), (["x", "{host}", "{port}"], .tcp),
            (["x", "{port}"], .tcp), (["{unix}"], .unix), (["x", "a{pty}b"], .pseudoTerminal),
        ])
    func kinds(_ command: [String], _ place: BenchPlace) throws {
        #expect(try BenchPlace(of: command) == place)
    }

    @Test(
        "a program without one, or with two, is refused",
        arguments: [["x"], ["x", "{dir}"], ["x", "{tcp}", "{unix}"], ["x", "{pty}{port}"]])
    func refused(_ command: [String]) {
        #expect(throws: CommandSyntax.UsageError.self) { try BenchPlace(of: command) }
    }

    @Test("every place in every word is filled in")
    func filled() {
        #expect(
            BenchPlace.words(
                ["x", "{tcp},{tcp}", "{host}:{port}", "{dir}/bonds", "{unknown}", "{unix}"],
                for: .tcpServer(host: "127.0.0.1", port: 9), directory: "/d")
                == [
                    "x", "127.0.0.1:9,127.0.0.1:9", "127.0.0.1:9", "/d/bonds", "{unknown}",
                    "{unix}",
                ])
        #expect(
            BenchPlace.words(["{unix}"], for: .unixServer(path: "/s"), directory: "/d") == ["/s"])
        #expect(
            BenchPlace.words(
                ["-D{pty}"], for: .pseudoTerminal(link: "/p"), directory: "/d") == ["-D/p"])
    }
}

@Suite("What a bench keeps of a program's output")
struct BenchOutputTests {
    private func output(_ texts: String...) -> BenchOutput {
        var output = BenchOutput()
        for text in texts { output.append(Array(text.utf8)) }
        return output
    }

    @Test("lines are whole, also if they came in parts")
    func parts() {
        #expect(output("one\ntw", "o\n\nthree").lines(last: 9) == ["one", "two", "three"])
        #expect(BenchOutput().lines(last: 9) == [])
    }

    @Test("the last lines are shown, with a count of those before them")
    func last() {
        #expect(output("a\nb\nc\nd\n").lines(last: 2) == ["(2 lines before this)", "c", "d"])
    }

    @Test("memory is bounded, and the newest is kept")
    func bounded() {
        var output = BenchOutput()
        for number in 0..<200_000 { output.append(Array("line \(number)\n".utf8)) }
        #expect(output.dropped > 0)
        #expect(
            output.lines(last: 2) == ["(more before this)", "line 199998", "line 199999"])
    }

    @Test("a line without end is cut")
    func long() {
        let lines = output(String(repeating: "x", count: 300_000)).lines(last: 5)
        #expect(lines.count == 2)
        #expect(lines.last?.count == 400)
    }

    @Test("octets that are no UTF-8 are shown as such")
    func octets() {
        var output = BenchOutput()
        output.append([0xFF, 0x41, 0x0A])
        #expect(output.lines(last: 5) == ["\u{FFFD}A"])
    }
}
