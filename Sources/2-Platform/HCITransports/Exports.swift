// What names a controller, and the time of a packet, which are in public declarations here.
@_exported public import HCIMonikers
@_exported public import struct LinuxIO.CaptureTime
