import Glibc
import Octets

/// An entry point of the project for octets from outside, with the rules that hold for all inputs.
struct FuzzTarget: Sendable {
    /// The name in commands and of folders.
    let name: String
    /// The longest useful input, in octets.
    let maximumLength: Int
    /// Processes an input; throws a ``BrokenRule`` if a rule does not hold.
    let run: @Sendable ([UInt8]) throws -> Void

    /// All targets.
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

/// Whether to print each step of an input, set by FUZZ_TRACE in the environment.
private let isTracing = getenv("FUZZ_TRACE") != nil

/// Writes a line to standard error, unbuffered, because the next step may be the last.
func trace(_ line: @autoclosure () -> String) {
    guard isTracing else { return }
    let octets = Array("\(line())\n".utf8)
    _ = write(STDERR_FILENO, octets, octets.count)
}

/// A state machine that is woken at its deadline must make progress: it may have a few things to do at one
/// instant, but not endlessly many.
struct ClockRule {
    private var last: MonotonicInstant?
    private var count = 0

    mutating func wake(at now: MonotonicInstant) throws {
        count = last == now ? count + 1 : 0
        last = now
        try check(count < 64, "a deadline has passed and is waited for still")
    }
}
