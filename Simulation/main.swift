import Glibc
import LinuxIO

// Runs complete phones and accessories in virtual time, a different plan for each seed, and reports the seeds
// that break a rule.
//
//     simulation radio|bluetoothd FIRST[-LAST] DIRECTORY [CAPTURES]
//
// The devices store their bonds in an empty directory, which the caller creates and removes. With a second
// directory, the events are printed, and on the radio the traffic of every device with its controller is
// captured there.

func note(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }

let arguments = CommandLine.arguments.dropFirst()
let bounds = (arguments.dropFirst().first ?? "").split(separator: "-").compactMap { UInt64($0) }
guard let simulation = Simulation(rawValue: arguments.first ?? ""), let first = bounds.first,
    bounds.count <= 2, let last = bounds.last, first <= last,
    let directory = arguments.dropFirst(2).first
else {
    note("usage: simulation radio|bluetoothd FIRST[-LAST] DIRECTORY [CAPTURES]\n")
    exit(2)
}
let snoopDirectory = arguments.dropFirst(3).first
var failures = 0
for seed in first...last {
    // If the run traps or loops endlessly, this is the last line.
    note("seed \(seed)\r")
    alarm(300)
    let passes = try await simulation.passes(
        seed, directory: directory, snoopDirectory: snoopDirectory)
    if !passes { failures += 1 }
}
note("          \r")
print("\(last - first + 1 - UInt64(failures)) passed, \(failures) failed")
exit(failures == 0 ? 0 : 1)
