// Measures how long a ringing call takes to reach Home Assistant's topic through a real broker: from the
// request to the phone to ring until the broker has passed `ON` of `call/ringing` to a subscriber. Phone,
// radio, daemon and subscriber run in one process on one loop. The radio transfers data instantly, so it adds
// no time.
//
//     broker-benchmark PORT
internal import Glibc
internal import LinuxIO

guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
    print("usage: broker-benchmark PORT")
    exit(2)
}
do {
    let loop = try EventLoop()
    let home = try Home(port: port, on: loop)
    let times = try await withTaskExecutorPreference(loop) { try await home.run(calls: 500) }
    loop.shutdown()
    func milliseconds(_ rank: Double) -> String {
        let microseconds = Int(times[Int(Double(times.count - 1) * rank)] / .microseconds(1))
        let fraction = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count)
            + fraction
    }
    print("calls  p50, ms  p99, ms  slowest, ms")
    print(times.count, milliseconds(0.5), milliseconds(0.99), milliseconds(1), separator: "\t")
} catch {
    print("broker-benchmark: \(error)")
    exit(1)
}
