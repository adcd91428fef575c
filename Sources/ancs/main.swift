internal import ANCSCommands
internal import Glibc

let status = await Tool.run(
    Array(Environment.arguments.dropFirst()), environment: Environment.current)
exit(status.rawValue)
