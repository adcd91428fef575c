// What the public declarations of this module mention.
@_exported public import ANCS
@_exported public import BluetoothTypes
@_exported public import class LinuxIO.EventLoop
@_exported public import struct LinuxIO.IOError
@_exported public import struct Octets.MonotonicInstant
