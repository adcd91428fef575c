// The time of a packet, which is in public declarations here.
@_exported public import struct LinuxIO.CaptureTime
