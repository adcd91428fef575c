// Measures many phones and accessories in one process, in virtual time: the memory of a pair and the cost of
// a notification, with each pair in a room of its own or all in one room. A process measures one size only,
// because memory freed by an earlier run would reduce the figures of a later one.
//
//     scale-benchmark PAIRS [together] [NOTIFICATIONS]
//
// Each phone posts 50 notifications unless said otherwise. What one costs without the noise of the machine is the
// difference of two runs under `valgrind --tool=callgrind`, by their instructions.
internal import Glibc
internal import LinuxIO

func run(pairs: Int, isInOneRoom: Bool, notifications: Int) async throws {
    let loop = try EventLoop(clock: .virtual)
    let scale = Scale(
        pairs: pairs, isInOneRoom: isInOneRoom, notifications: notifications, on: loop)
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
    let isInOneRoom = CommandLine.arguments.contains("together")
    let numbers = CommandLine.arguments.dropFirst().filter { $0 != "together" }.map { Int($0) ?? 0 }
    guard (1...2).contains(numbers.count), numbers.allSatisfy({ $0 > 0 }) else {
        print("usage: scale-benchmark PAIRS [together] [NOTIFICATIONS]")
        exit(2)
    }
    print(
        row(
            "pairs", "rooms", "KiB of a pair", "CPU ms to connect", "CPU µs a notification",
            "virtual s"))
    try await run(
        pairs: numbers[0], isInOneRoom: isInOneRoom,
        notifications: numbers.count == 2 ? numbers[1] : 50)
} catch {
    print("scale-benchmark: \(error)")
    exit(1)
}
