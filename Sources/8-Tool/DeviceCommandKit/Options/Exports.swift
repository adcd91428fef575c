// A command at a device is a command.
@_exported public import CommandKit
// What a command uses of a device is in its declarations.
@_exported public import ANCSKit
