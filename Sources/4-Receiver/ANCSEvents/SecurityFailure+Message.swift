package import BluetoothTypes

extension SecurityFailure {
    /// The message for the user of an accessory, who accepts a device without digits by `remedy`.
    package func message(unless remedy: String) -> String {
        guard self == .notAuthenticated else { return message }
        return
            "a device that cannot show digits wanted to pair; an iPhone can; if it is yours: \(remedy)"
    }
}
