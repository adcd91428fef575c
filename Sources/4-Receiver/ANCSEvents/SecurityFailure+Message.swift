package import BluetoothTypes

extension SecurityFailure {
    /// The message for the user of an accessory of this name, who accepts a device without digits by `remedy`.
    package func message(for name: String, unless remedy: String) -> String {
        if case .refusedByPeer(let reason) = self, reason.mayBeOfUser {
            return
                "the other device refused to pair; its user may have tapped Cancel: choose '\(name)' there again"
        }
        guard self == .notAuthenticated else { return message }
        return
            "a device that cannot show digits wanted to pair; an iPhone can; if it is yours: \(remedy)"
    }
}
