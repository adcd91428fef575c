internal import ANCSCommands
internal import Glibc

let status = Tool.run(
    Array(Environment.arguments.dropFirst()), environment: Environment.current)
exit(status.rawValue)
