// A command at a device is a command.
@_exported public import CommandKit
