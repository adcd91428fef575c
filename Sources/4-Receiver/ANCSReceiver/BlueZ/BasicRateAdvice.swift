/// What to do about BR/EDR, over which an iPhone can pair and cannot send notifications, for people.
package enum BasicRateAdvice {
    /// This adapter of bluetoothd is discoverable over BR/EDR.
    package static func discoverable(_ adapter: String) -> String {
        "\(adapter) is discoverable, so that the iPhone may pair over BR/EDR, which has no notifications: "
            + closeSettings
    }

    /// Ends that an adapter is discoverable.
    package static let closeSettings =
        "close the desktop's Bluetooth settings, or run \"bluetoothctl discoverable off\", before you pair"

    /// An iPhone with this name and address is paired over BR/EDR alone, with a machine of this name. Its name
    /// is untrusted.
    package static func paired(_ name: String, _ address: String, ownName: String?) -> String {
        "\(name.isEmpty ? "an iPhone" : name) (\(address)) seems to be paired over BR/EDR only, which has no "
            + "notifications: " + removal(of: address, ownName: ownName)
    }

    /// The same, seen by somebody who does not know which side this is: the accessory's name and address.
    package static func paired(accessory name: String, _ address: String) -> String {
        "\(name.isEmpty ? "the accessory" : name) (\(address)) seems to be paired over BR/EDR only, which has no "
            + "notifications: on the iPhone, Settings > Bluetooth, the (i) next to the accessory, Forget This "
            + "Device; forget the iPhone on the accessory; then pair while it is not discoverable over BR/EDR"
    }

    /// An iPhone came over BR/EDR and is not paired.
    package static let unpaired =
        "an iPhone that comes over BR/EDR has no notifications: " + closeSettings

    /// How to remove the bond on both sides, and pair over Low Energy with a machine of this name, if it is
    /// known.
    package static func removal(of address: String, ownName: String?) -> String {
        "\"bluetoothctl remove \(address)\" removes it here; on the iPhone, Settings > Bluetooth, the (i) next "
            + "to this machine, Forget This Device; then " + closeSettings
            + (ownName.map { " '\($0)'" } ?? "") + " again"
    }
}
