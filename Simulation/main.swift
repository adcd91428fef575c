import Glibc
import LinuxIO

// Runs whole phones and accessories in virtual time, each seed a story of its own, and tells which
// seeds break a rule.
//
//     simulation FIRST[-LAST] DIRECTORY [CAPTURES]
//
// The devices keep their bonds in an empty directory, which the caller makes and removes. With a second
// one it writes there what every device said to its controller, and prints what happened.

func note(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

let arguments = CommandLine.arguments.dropFirst()
let bounds = (arguments.first ?? "").split(separator: "-").compactMap { UInt64($0) }
guard let first = bounds.first, bounds.count <= 2, let last = bounds.last, first <= last,
    let directory = arguments.dropFirst().first
else {
    note("usage: simulation FIRST[-LAST] DIRECTORY [CAPTURES]\n")
    exit(2)
}
let snoopDirectory = arguments.dropFirst(2).first
var failures = 0
for seed in first...last {
    // A trap or an endless loop is told by the last line alone.
    note("seed \(seed)\r")
    alarm(300)
    let passes = try await Simulation.passes(
        seed, directory: directory, snoopDirectory: snoopDirectory)
    if !passes { failures += 1 }
}
note("          \r")
print("\(last - first + 1 - UInt64(failures)) passed, \(failures) failed")
exit(failures == 0 ? 0 : 1)
