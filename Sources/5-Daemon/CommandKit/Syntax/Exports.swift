// A command is a table of kinds.
@_exported public import Kinds
// The loop of a command is in its declarations.
@_exported public import LinuxIO
