// Counterpart for measuring a phone or an accessory: everything else of the conversation runs in this process
// on one loop, while the measured host connects from outside.
//
//     load phone PATH ACCESSORIES COUNT
//
// Runs accessories and controllers for a phone at the Unix socket PATH. Prints LISTENING when the phone may
// connect, SUBSCRIBED when every accessory has a session, and DONE when each has the attributes of COUNT
// notifications.
//
//     load accessory PATH COUNT
//
// Runs a phone and controllers for an accessory at the pseudo-terminal that PATH links to. Prints LISTENING,
// SUBSCRIBED and, when COUNT notifications have been posted and fetched one by one, DONE with the number of
// notifications per second, and the median and 99th percentile of the microseconds from a post to its answer.
import HCITransports
internal import Glibc
internal import LinuxIO

func load(_ arguments: [String], on loop: EventLoop) async throws -> Bool {
    switch (arguments.first, arguments.dropFirst().last.flatMap { Int($0) }) {
    case ("phone", let count?) where arguments.count == 4:
        guard let accessories = Int(arguments[2]) else { return false }
        let load = PhoneLoad(expecting: count, on: loop)
        try await load.run(accessories: accessories, path: arguments[1])
    case ("accessory", let count?) where arguments.count == 3 && count > 1:
        let load = AccessoryLoad(
            posting: count, at: .pseudoTerminal(link: arguments[1]), on: loop)
        try await load.run()
    default: return false
    }
    return true
}

do {
    let loop = try EventLoop()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let isUnderstood = try await withTaskExecutorPreference(loop) {
        try await load(arguments, on: loop)
    }
    loop.shutdown()
    if !isUnderstood {
        say(
            "usage: load phone PATH ACCESSORIES COUNT, load accessory PATH COUNT", to: STDERR_FILENO
        )
        exit(2)
    }
} catch {
    say("load: \(error)", to: STDERR_FILENO)
    exit(1)
}
