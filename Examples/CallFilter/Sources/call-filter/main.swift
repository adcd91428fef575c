// call-filter bluez|CONTROLLER [--decline] CALLER…
import ANCSKit
import CallFilter
import Glibc

var arguments = Array(CommandLine.arguments.dropFirst())
let declines = arguments.contains("--decline")
arguments.removeAll { $0 == "--decline" }
guard let controller = arguments.first else {
    print("usage: call-filter bluez|CONTROLLER [--decline] CALLER…, such as: call-filter bluez Ada")
    exit(2)
}

do {
    let consumer = try NotificationConsumer(
        name: "Call filter", at: controller == "bluez" ? .bluez() : .hci(controller))
    let filter = CallFilter(
        callers: Set(arguments.dropFirst()), others: declines ? .decline : .silence)
    try await filter.run(on: consumer) { line in
        print(line)
        fflush(nil)
    }
} catch {
    print("call-filter: \((error as? DeviceError)?.message ?? "\(error)")")
    exit(1)
}
