// Many phones and accessories in one process, in virtual time: what a pair takes, and what a notification
// costs; each pair in a room of its own, or all of them in one room. One size in a process: what an
// earlier one gives back would count as memory that a later one does not take.
//
//     scale-benchmark PAIRS [together]
internal import Glibc
internal import LinuxIO

let notificationCount = 50

func run(pairs: Int, isInOneRoom: Bool) async throws {
    let loop = try EventLoop(clock: .virtual)
    let scale = Scale(
        pairs: pairs, isInOneRoom: isInOneRoom, notifications: notificationCount, on: loop)
    let figures = try await withTaskExecutorPreference(loop) { try await scale.run() }
    loop.shutdown()
    print(
        row(
            "\(pairs)", isInOneRoom ? "1" : "\(pairs)",
            decimal(figures.pairOctets / 1024, digits: 1),
            decimal(figures.connectingSeconds * 1e3, digits: 2),
            decimal(figures.notificationSeconds * 1e6, digits: 1),
            "\(figures.virtualTime.components.seconds)"))
    fflush(nil)
}

func row(_ cells: String...) -> String {
    let widths = [7, 7, 15, 20, 25, 11]
    return zip(cells, widths).map { cell, width in
        String(repeating: " ", count: max(width - cell.count, 0)) + cell
    }.joined()
}

func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let number = Int((value * scale).rounded())
    let fraction = String(number % Int(scale))
    return "\(number / Int(scale))."
        + String(repeating: "0", count: digits - fraction.count) + fraction
}

do {
    let arguments = CommandLine.arguments.dropFirst()
    guard let pairs = arguments.first.flatMap({ Int($0) }), pairs > 0 else {
        print("usage: scale-benchmark PAIRS [together]")
        exit(2)
    }
    print(
        row(
            "pairs", "rooms", "KiB of a pair", "CPU ms to connect", "CPU µs a notification",
            "virtual s"))
    try await run(pairs: pairs, isInOneRoom: arguments.count == 2)
} catch {
    print("scale-benchmark: \(error)")
    exit(1)
}
