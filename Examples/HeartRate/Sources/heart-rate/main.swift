// heart-rate sensor CONTROLLER [--seconds N]
// heart-rate monitor bluez|CONTROLLER --state DIRECTORY [--count N]
import ANCSKit
import Glibc
import HeartRate

/// The value of an option.
func value(of option: String) -> String? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: option) else { return nil }
    return arguments[(index + 1)...].first
}

let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.dropFirst().first, value(of: "--state")) {
    case ("sensor"?, let controller?, nil):
        let seconds = value(of: "--seconds").flatMap { Int($0) } ?? .max
        let rates = (0..<seconds).lazy.map { HeartRate(beatsPerMinute: 60 + $0 % 40) }
        try await Sensor(at: .hci(controller)).run(rates)
    case ("monitor"?, let controller?, let directory?):
        let monitor = try Monitor(
            at: controller == "bluez"
                ? .bluez(state: directory)
                : .hci(controller, store: BondStore(directory: directory)),
            directory: directory)
        if let sensor = await monitor.sensor { print("bound to \(sensor.text)") }
        let count = value(of: "--count").flatMap { Int($0) } ?? .max
        try await monitor.run(count: count) { rate in
            print("\(rate.beatsPerMinute) beats a minute")
            fflush(nil)
        }
    default:
        print("usage: heart-rate sensor CONTROLLER [--seconds N]")
        print("       heart-rate monitor bluez|CONTROLLER --state DIRECTORY [--count N]")
        exit(2)
    }
} catch {
    print("heart-rate: \((error as? DeviceError)?.message ?? "\(error)")")
    exit(1)
}
