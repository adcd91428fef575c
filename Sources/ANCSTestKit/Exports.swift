// What the public declarations of this module mention, so that a test imports ANCSKit and this.
@_exported public import struct VirtualBluetooth.RadioPath
@_exported public import struct VirtualBluetooth.VirtualControllerAbilities
