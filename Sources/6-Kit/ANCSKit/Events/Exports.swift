// The modules that the public declarations of this one mention, so that a program needs only `import
// ANCSKit`. The other modules have to be imported by programs that use them directly.
@_exported public import AMS
@_exported public import ANCSProvider
@_exported public import ANCSReceiver
@_exported public import struct BluetoothLE.AdvertisementPlan
@_exported public import struct BluetoothTypes.AdvertisingData
@_exported public import struct BluetoothLE.BondRecord
@_exported public import struct BluetoothTypes.ConnectionParameters
@_exported public import struct BluetoothTypes.DeviceAddress
@_exported public import enum BluetoothLE.LinkRequirements
@_exported public import enum BluetoothLE.ParameterAnswer
@_exported public import class HCITransports.BtsnoopWriter
@_exported public import enum HCIMonikers.TransportMoniker
@_exported public import struct OpenSSLSecurity.OpenSSLToolbox
