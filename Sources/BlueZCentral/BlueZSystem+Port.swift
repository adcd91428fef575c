public import BlueZ
public import DBus

// What runs it on the bus.
extension BlueZSystem: BlueZMachine {
    @usableFromInline package static let signals = [BusMatch(sender: BlueZAccessory.service)]
    /// bluetoothd broadcasts each value that any program reads, and these are most of what arrives.
    @usableFromInline package static var omitted: (property: String, interface: String)? {
        ("Value", RemoteCharacteristicObject.interface)
    }
    @usableFromInline package var wantsOmitted: Bool { !subscribed.isEmpty }
}
