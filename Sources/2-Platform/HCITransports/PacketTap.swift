package import BluetoothTypes

/// Is shown each packet between a host and its controller, with its time, on the loop.
package typealias PacketTap =
    @Sendable (HCIPacket, BtsnoopWriter.Direction, MonotonicInstant) -> Void
