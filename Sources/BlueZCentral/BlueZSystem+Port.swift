internal import BlueZ
package import DBus

// What runs it on the bus.
extension BlueZSystem: BlueZMachine {
    package static let signals = [BusMatch(sender: BlueZAccessory.service)]
}
