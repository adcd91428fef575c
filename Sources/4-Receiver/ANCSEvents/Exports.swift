// What the public declarations of this module mention.
@_exported public import struct BluetoothTypes.ATTErrorCode
@_exported public import struct BluetoothTypes.BluetoothUUID
@_exported public import struct BluetoothTypes.HCIStatus
@_exported public import struct BluetoothTypes.KeyTrouble
@_exported public import struct BluetoothTypes.LinkParameterPolicy
@_exported public import struct BluetoothTypes.PairingFailureReason
@_exported public import enum BluetoothTypes.SecurityFailure
@_exported public import class LinuxIO.EventLoop
@_exported public import struct LinuxIO.IOError
@_exported public import struct Octets.MonotonicInstant
