internal import BluetoothLE

/// The advertisers that a phone has heard and does not connect to, so that a miss can say what there was. Bounded.
struct PassedOverAdvertisers: Sendable {
    private struct Advertiser: Sendable {
        let address: DeviceAddress
        var name: String?
        var isConnectable = false
        var solicitsANCS = false
        var solicitsOthers = false

        /// What was heard, and what would have the phone connect. The name is untrusted.
        func message(isLookingForNames: Bool) -> String {
            let solicits =
                solicitsANCS
                ? "solicits ANCS" : solicitsOthers ? "does not solicit ANCS" : "solicits nothing"
            let text = [
                name ?? address.text, isConnectable ? "connectable" : "not connectable", solicits,
            ].joined(separator: ", ")
            guard isConnectable else { return text }
            return text + (isLookingForNames ? ": another one is named" : ": name it")
        }

        /// The likelier ones first.
        var rank: Int { (isConnectable ? 0 : 2) + (name == nil ? 1 : 0) }
    }

    /// How many are remembered, and how many are told.
    private static let (limit, toldLimit) = (64, 4)

    /// The last one that was heard is at the end.
    private var all: [Advertiser] = []

    /// The phone does not connect to what was heard here.
    mutating func heard(_ discovery: Discovery) {
        var advertiser = take(discovery.address) ?? Advertiser(address: discovery.address)
        let data = discovery.advertisement
        advertiser.name = data.localName ?? advertiser.name
        // A scan response says nothing about connections.
        if discovery.isConnectable == true { advertiser.isConnectable = true }
        if data.solicitedServices.contains(.ancs) { advertiser.solicitsANCS = true }
        if data.solicitedServices.contains(where: { $0 != .ancs }) {
            advertiser.solicitsOthers = true
        }
        if all.count == Self.limit { all.removeFirst() }
        all.append(advertiser)
    }

    /// The phone connects to this one after all: what it looks for was in its scan response.
    mutating func remove(_ address: DeviceAddress) { _ = take(address) }

    private mutating func take(_ address: DeviceAddress) -> Advertiser? {
        all.firstIndex { $0.address == address }.map { all.remove(at: $0) }
    }

    /// A sentence for each of the likeliest.
    func messages(isLookingForNames: Bool) -> [String] {
        let sorted = (0...3).flatMap { rank in all.filter { $0.rank == rank } }
        let told = sorted.prefix(Self.toldLimit).map {
            $0.message(isLookingForNames: isLookingForNames)
        }
        let others = sorted.count - told.count
        return told + (others > 0 ? ["and \(others) more on air"] : [])
    }
}
