import Glibc
import Octets

/// A way into the project for octets from outside, with the rules that hold whatever they are.
struct FuzzTarget: Sendable {
    /// What it is called in commands and folders.
    let name: String
    /// Longer inputs bring nothing new.
    let maximumLength: Int
    /// Goes through an input; throws a ``BrokenRule`` where a rule does not hold.
    let run: @Sendable ([UInt8]) throws -> Void

    /// All of them.
    static let all: [FuzzTarget] = [
        FuzzTarget(name: "consumer", maximumLength: 2048, run: ConsumerTarget.run),
        FuzzTarget(name: "provider", maximumLength: 2048, run: ProviderTarget.run),
        FuzzTarget(name: "att-client", maximumLength: 2048, run: ATTClientTarget.run),
        FuzzTarget(name: "att-server", maximumLength: 2048, run: ATTServerTarget.run),
        FuzzTarget(name: "security", maximumLength: 2048, run: SecurityTarget.run),
        FuzzTarget(name: "host", maximumLength: 2048, run: HostTarget.run),
        FuzzTarget(name: "radio", maximumLength: 2048, run: RadioTarget.run),
        FuzzTarget(name: "capture", maximumLength: 4096, run: CaptureTarget.run),
        FuzzTarget(name: "scenario", maximumLength: 8192, run: ScenarioTarget.run),
        FuzzTarget(name: "document", maximumLength: 4096, run: DocumentTarget.run),
        FuzzTarget(
            name: "configuration", maximumLength: 4096, run: ConfigurationTarget.run),
        FuzzTarget(name: "decoder", maximumLength: 2048, run: DecoderTarget.run),
    ]

    /// The target with a name.
    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A rule that does not hold.
struct BrokenRule: Error, CustomStringConvertible {
    /// What was found instead.
    let description: String
}

/// Throws unless a rule holds.
func check(_ holds: Bool, _ fault: @autoclosure () -> String) throws(BrokenRule) {
    guard holds else { throw BrokenRule(description: fault()) }
}

/// With FUZZ_TRACE in the environment, an input is told while it is gone through.
private let isTracing = getenv("FUZZ_TRACE") != nil

/// Writes a line to standard error, at once: the next step may be the last.
func trace(_ line: @autoclosure () -> String) {
    guard isTracing else { return }
    let octets = Array("\(line())\n".utf8)
    _ = write(STDERR_FILENO, octets, octets.count)
}

/// A machine that is woken at its deadline does something about it: it may have a few things to do at one
/// time, but not without end.
struct ClockRule {
    private var last: MonotonicInstant?
    private var count = 0

    mutating func wake(at now: MonotonicInstant) throws {
        count = last == now ? count + 1 : 0
        last = now
        try check(count < 64, "a deadline has passed and is waited for still")
    }
}
