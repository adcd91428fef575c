internal import ANCSReceiver

/// BR/EDR, over which an iPhone can pair and cannot send notifications.
extension Examination {
    /// Whether the adapter draws phones that want to pair onto BR/EDR.
    var discoverable: Finding? {
        guard let adapter, adapter.isPowered else { return nil }
        guard adapter.isDiscoverable else {
            return .fine(.discoverable, of: adapter.name, "not discoverable over BR/EDR")
        }
        return .note(
            .discoverable, of: adapter.name, "discoverable over BR/EDR",
            why:
                "an iPhone whose user chooses this machine may then pair over BR/EDR, and such a bond has "
                + "no notifications", remedy: BasicRateAdvice.closeSettings)
    }

    /// A phone that was paired for audio or its network has no keys for Low Energy.
    func withoutLowEnergy(_ device: Facts.Device) -> Finding {
        let hasOther = (bluetoothd?.devices ?? []).contains { $0.isPaired && $0.knowsANCS }
        let severity: Finding.Severity = hasOther ? .note : .fault
        return Finding(
            id: .bond, subject: device.subject, severity: severity,
            seen: device.isBondedOverLowEnergy == false
                ? "paired over BR/EDR only"
                : "paired, but never seen with Low Energy: probably paired over BR/EDR only",
            why: "ANCS is a Bluetooth Low Energy service, which needs its own keys",
            remedy: BasicRateAdvice.removal(of: device.address, ownName: ownName))
    }

    /// What stands in the way of pairing: a machine that draws phones onto BR/EDR, and phones that are paired
    /// like that; one sentence for each.
    package static func obstaclesToPairing(
        _ bluetoothd: Facts.Bluetoothd, ownName: String
    ) -> [String] {
        bluetoothd.adapters.filter { $0.isPowered && $0.isDiscoverable }
            .map { BasicRateAdvice.discoverable($0.name) }
            + bluetoothd.devices.filter(\.seemsPairedWithoutLowEnergy)
            .map { BasicRateAdvice.paired($0.name.shortened, $0.address, ownName: ownName) }
    }
}

extension FactsReader {
    /// What stands in the way of pairing, as far as bluetoothd answers.
    package static func obstaclesToPairing(
        ownName: String, places: Places = Places()
    ) async -> [String] {
        let reader = FactsReader(
            isSystem: true, configuration: nil, state: nil, places: places)
        guard let bluetoothd = await reader.bluetoothd() else { return [] }
        return Examination.obstaclesToPairing(bluetoothd, ownName: ownName)
    }
}

extension Facts.Device {
    /// Whether an iPhone is paired, and nothing is known of it that iPhones have over Low Energy only.
    /// `Paired` and `Bonded` are those of either bearer.
    var seemsPairedWithoutLowEnergy: Bool {
        guard isPaired, isPhone, !isBlocked, !hasANCS else { return false }
        if let isBondedOverLowEnergy { return !isBondedOverLowEnergy }
        return hasBasicRate && !knowsANCS && !hasLowEnergyServices
            && (!isConnected || hasResolvedServices)
    }
}
