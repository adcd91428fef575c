internal import ANCSCommands
internal import CommandKit
internal import Glibc

let status = Tool.run(Array(Environment.arguments.dropFirst()), environment: Environment.current)
// Not exit(3), which takes libraries apart while threads may live that nobody can wait for: one that writes to a
// blocked output, one that looks up a host. Nothing is lost: the tool writes without the C library's buffers.
_exit(status.rawValue)
