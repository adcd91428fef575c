// How long a call that rings takes to Home Assistant's topic, at a real broker: from the phone's request to
// ring until the broker has passed `ON` of `call/ringing` on to a subscriber. Phone, radio, daemon and subscriber
// are one process and one loop; the radio moves data at once, so that it takes no part of the time.
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
