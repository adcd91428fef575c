// What the public declarations of this module mention, so that a program needs only `import ANCSCapture`.
@_exported public import AMS
@_exported public import ANCS
@_exported public import enum BluetoothLE.AssociationModel
@_exported public import struct BluetoothLE.ATTErrorCode
@_exported public import struct BluetoothLE.ATTOpcode
@_exported public import struct BluetoothLE.AttributeHandle
@_exported public import struct BluetoothLE.AttributeHandleRange
@_exported public import struct BluetoothLE.BluetoothUUID
@_exported public import struct BluetoothLE.ConnectionInterval
@_exported public import struct BluetoothLE.DeviceAddress
@_exported public import struct BluetoothLE.HCIStatus
@_exported public import struct BluetoothLE.LinkRole
@_exported public import struct BluetoothLE.PairingFailureReason
@_exported public import struct BluetoothLE.SupervisionTimeout
@_exported public import enum HCITransports.CaptureFormat
@_exported public import struct HCITransports.CaptureReader
@_exported public import struct HCITransports.CaptureTime
@_exported public import struct LinuxIO.IOError
