import BluetoothLE
import Octets
import Testing

@testable import ANCS
@testable import ANCSKit

/// A request in microseconds and milliseconds, and what Apple's text says of it, worked out from its numbers alone.
private struct Wanted: CustomTestStringConvertible {
    var shortest: Int
    var longest: Int
    var latency: Int
    /// In milliseconds.
    var timeout: Int

    var testDescription: String { "\(shortest) to \(longest) µs, \(latency), \(timeout) ms" }

    var parameters: ConnectionParameters {
        ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: UInt16(shortest / 1250)),
            intervalMaximum: ConnectionInterval(rawValue: UInt16(longest / 1250)),
            latency: UInt16(latency),
            supervisionTimeout: SupervisionTimeout(rawValue: UInt16(timeout / 10)))
    }

    /// Core Vol 4, Part E, 7.8.18: what no controller takes.
    var isImpossible: Bool {
        shortest < 7500 || longest > 4_000_000 || shortest > longest || latency > 499
            || timeout < 100 || timeout > 32_000
            || timeout * 1000 <= 2 * (latency + 1) * longest
    }

    /// Whether it keeps L1 to L7 with the numbers of an edition.
    func keeps(timeouts: ClosedRange<Int>, silence: Int) -> Bool {
        shortest >= 15_000 && shortest <= 2_000_000 && shortest % 15_000 == 0
            && (longest >= shortest + 15_000 || (shortest == 15_000 && longest == 15_000))
            && latency <= 30 && timeouts.contains(timeout)
            && longest * (latency + 1) <= silence && timeout * 1000 > 3 * longest * (latency + 1)
    }

    var keeps2022: Bool { keeps(timeouts: 2000...6000, silence: 2_000_000) }
    var keeps2025: Bool { keeps(timeouts: 6000...18_000, silence: 6_000_000) }
}

@Suite("How a phone answers requests for connection parameters") struct ParameterDecisionsTests {
    private static let watch = AccessoryID(rawValue: 1)
    private static let band = AccessoryID(rawValue: 2)

    /// 216 requests around the numbers of L1 to L7.
    private static let table: [Wanted] = {
        var table: [Wanted] = []
        for shortest in [7500, 15_000, 16_250, 30_000, 1_995_000, 2_010_000] {
            for above in [0, 13_750, 15_000] {
                for (latency, timeout) in [
                    (0, 1990), (0, 2000), (0, 4000), (0, 6000), (0, 6010), (0, 18_000),
                    (0, 18_010), (4, 6000), (30, 6000), (31, 6000), (9, 720), (40, 18_000),
                ] {
                    table.append(
                        Wanted(
                            shortest: shortest, longest: shortest + above, latency: latency,
                            timeout: timeout))
                }
            }
        }
        return table
    }()

    @Test(
        "216 requests, by the numbers of 2022, of 2025, of either and of none",
        arguments: ProviderBehavior.LinkNumbers.allCases)
    func answers(numbers: ProviderBehavior.LinkNumbers) {
        #expect(Self.table.count == 216)
        var decisions = ParameterDecisions(numbers)
        var accepted = 0
        for wanted in Self.table {
            let isRight =
                switch numbers {
                case .apple: wanted.keeps2022 || wanted.keeps2025
                case .apple2022: wanted.keeps2022
                case .apple2025: wanted.keeps2025
                case .lenient: true
                }
            let request = decisions.decide(wanted.parameters, of: Self.watch, isHID: false)
            let expected: ParameterAnswer = isRight && !wanted.isImpossible ? .accept : .refuse
            #expect(request.answer == expected, "\(wanted.testDescription)")
            if request.answer == .accept { accepted += 1 }
        }
        // Neither answer is the only one.
        #expect(accepted > 5 && accepted < 210)
    }

    @Test("a fault answers so many requests, and then the behavior does")
    func faults() {
        var decisions = ParameterDecisions(.apple)
        let good = Wanted(shortest: 30_000, longest: 45_000, latency: 0, timeout: 6000).parameters
        decisions.inject(.refuse, count: 2, at: Self.watch)
        decisions.inject(.overwrite, count: 1, at: nil)
        func answer(of id: AccessoryID) -> String {
            let request = decisions.decide(good, of: id, isHID: false)
            return "\(request.answer)" + (request.fault.map { " \($0)" } ?? "")
        }
        #expect(answer(of: Self.watch) == "refuse refuse")
        // A fault for all accessories applies to the first that asks.
        #expect(answer(of: Self.band) == "accept overwrite")
        #expect(answer(of: Self.watch) == "refuse refuse")
        #expect(answer(of: Self.watch) == "accept")
        decisions.inject(.acceptOnly, count: 1000, at: nil)
        #expect(answer(of: Self.watch) == "acceptOnly acceptOnly")
        decisions.clear(at: nil)
        #expect(answer(of: Self.watch) == "accept")
    }

    @Test("what is not valid is refused, whatever was injected")
    func invalid() {
        var decisions = ParameterDecisions(.lenient)
        decisions.inject(.acceptOnly, count: 9, at: nil)
        let wanted = Wanted(shortest: 30_000, longest: 45_000, latency: 499, timeout: 6000)
        #expect(decisions.decide(wanted.parameters, of: Self.watch, isHID: false).answer == .refuse)
    }

    @Test("at most 64 faults wait; more push out the oldest")
    func manyFaults() {
        var decisions = ParameterDecisions(.apple)
        decisions.inject(.ignore, count: 1, at: nil)
        for _ in 0..<64 { decisions.inject(.refuse, count: 1, at: nil) }
        let good = Wanted(shortest: 30_000, longest: 45_000, latency: 0, timeout: 6000).parameters
        for _ in 0..<64 {
            #expect(decisions.decide(good, of: Self.watch, isHID: false).answer == .refuse)
        }
        #expect(decisions.decide(good, of: Self.watch, isHID: false).answer == .accept)
    }

    @Test("accepted parameters are applied one to three connection events later, in turn")
    func delays() {
        var decisions = ParameterDecisions(.apple)
        #expect((0..<6).map { _ in decisions.takeDelay() } == [1, 2, 3, 1, 2, 3])
    }
}
