// What a phone that is measured is measured with: many accessories in one process, and on the same loop
// the controllers of all of them and of the phone, whose host comes over a Unix socket.
//
//     phone-load PATH ACCESSORIES COUNT
//
// Says LISTENING when a phone may come, SUBSCRIBED when every accessory has a session, and DONE when
// each of them has the attributes of COUNT notifications.
internal import Glibc
internal import LinuxIO

guard CommandLine.arguments.count == 4, let accessories = Int(CommandLine.arguments[2]),
    let count = Int(CommandLine.arguments[3])
else {
    say("usage: phone-load PATH ACCESSORIES COUNT", to: STDERR_FILENO)
    exit(2)
}
do {
    let loop = try EventLoop()
    let load = Load(expecting: count, on: loop)
    try await withTaskExecutorPreference(loop) {
        try await load.run(accessories: accessories, path: CommandLine.arguments[1])
    }
    loop.shutdown()
} catch {
    say("phone-load: \(error)", to: STDERR_FILENO)
    exit(1)
}
