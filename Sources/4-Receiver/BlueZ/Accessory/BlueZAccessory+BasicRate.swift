internal import ANCSEvents
internal import DBus

// BR/EDR, over which an iPhone cannot send notifications.
extension BlueZAccessory {
    /// After each step: reports that the adapter draws phones onto BR/EDR, once for each time it does.
    mutating func noteDiscoverability() {
        guard let adapter, let object = tree.adapters[adapter] else {
            isDrawingPhonesAway = false
            return
        }
        let isSo = window.wasOpen && object.isDiscoverable && object.hasBasicRate
        guard exchange(&isDrawingPhonesAway, with: isSo) != isSo, isSo else { return }
        report(.discoverable(adapter: String(adapter.lastElement)))
    }

    /// The pairing window was opened or closed.
    mutating func noteBasicRateBonds() {
        guard window.wasOpen else {
            basicRatePhones = []
            return
        }
        for path in tree.paired.sorted(byText: \.text) { noteBasicRateBond(of: path) }
    }

    /// While pairing is open, reports an iPhone that is paired over BR/EDR alone, once.
    mutating func noteBasicRateBond(of path: ObjectPath) {
        guard window.wasOpen, let adapter, path.isBelow(adapter) else { return }
        guard let device = tree.devices[path]?.object, device.seemsPairedWithoutLowEnergy,
            tree.places(on: path) == nil, acquaintances[path]?.isPairedHere != true
        else {
            basicRatePhones.remove(path)
            return
        }
        guard basicRatePhones.insert(path).inserted else { return }
        report(.pairedWithoutLowEnergy(name: device.name ?? "", address: device.address))
    }
}

extension DeviceObject {
    /// Whether it is an iPhone, paired, and none of the services is known that iPhones have over Low Energy
    /// only. bluetoothd does not say of which bearer a bond is: `Paired` and `Bonded` are those of either.
    fileprivate var seemsPairedWithoutLowEnergy: Bool {
        isPaired && classOfDevice != nil && !looksLikeAnAppleDevice && seemsApplePhone()
    }
}

extension AdapterObject {
    /// Whether BR/EDR is turned on. The class is 0 without BR/EDR, and also on a machine that does not know what it is, such
    /// as a single-board computer; the services of the Service Discovery Protocol, among them always *PnP Information*
    /// (0x1200), are there only with it.
    package var hasBasicRate: Bool {
        // Service classes and profiles are those of Assigned Numbers 3.3; GATT services begin at 0x1800 (3.4.1).
        classOfDevice != 0 || services.contains { (0x1000..<0x1800).contains($0.shortValue ?? 0) }
    }
}
