// The public declarations of this module mention this type, so that a test only imports ANCSKit and
// ANCSTestKit.
@_exported public import struct VirtualBluetooth.RadioPath
@_exported public import struct VirtualBluetooth.VirtualControllerAbilities
