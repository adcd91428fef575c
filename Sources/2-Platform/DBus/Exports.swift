// The loop, and the octets of messages, are in its declarations.
@_exported public import LinuxIO
