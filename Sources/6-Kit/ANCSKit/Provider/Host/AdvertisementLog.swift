internal import BluetoothLE

/// What a phone has received of the advertisers that it may connect to. Bounded.
struct AdvertisementLog: Sendable {
    /// What is known of one of them.
    private struct Entry: Sendable {
        let peer: PeerKey
        let since: MonotonicInstant
        var advertising: AdvertisingData?
        var response = AdvertisingData()
        var measurement = AdvertisingMeasurement()
        var reach = ReceivedAdvertisement.Reach.everyone
        var reported: ReceivedAdvertisement?
    }

    /// How many advertisers are remembered; the one that was heard longest ago makes room.
    private static let limit = 256

    private var entries: [Entry] = []

    /// Takes a discovery. Those of scan responses count as well: they follow within the same event.
    mutating func heard(_ peer: PeerKey, _ discovery: Discovery, at now: MonotonicInstant) {
        let index = takeEntry(peer, at: now)
        entries[index].measurement.heard(at: now)
        entries[index].reach = discovery.reach
        let structures = discovery.advertisement.structures
        if discovery.hasScanResponse != true {
            entries[index].advertising = discovery.advertisement
        } else if let first = entries[index].advertising?.structures, structures.starts(with: first)
        {
            entries[index].response = AdvertisingData(Array(structures.dropFirst(first.count)))
        }
    }

    /// The entry of an advertiser, which is the last one from now on.
    private mutating func takeEntry(_ peer: PeerKey, at now: MonotonicInstant) -> Int {
        if let index = entries.firstIndex(where: { $0.peer == peer }) {
            entries.append(entries.remove(at: index))
        } else {
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(peer: peer, since: now))
        }
        return entries.count - 1
    }

    /// Whether the interval of an advertiser is known as well as it will be.
    func isMeasured(_ peer: PeerKey, at now: MonotonicInstant) -> Bool {
        guard let entry = entries.first(where: { $0.peer == peer }) else { return false }
        return entry.measurement.isSufficient
            || now - entry.since >= ProviderConfiguration.longestMeasurement
    }

    /// Nobody listens for a while.
    mutating func paused() { for index in entries.indices { entries[index].measurement.paused() } }

    /// Whether an advertiser offers a service.
    func offers(_ service: BluetoothUUID, _ peer: PeerKey) -> Bool {
        guard let entry = entries.first(where: { $0.peer == peer }) else { return false }
        return entry.advertising?.services.contains(service) == true
            || entry.response.services.contains(service)
    }

    /// What was received of an advertiser; `nil` if it was reported already, or is not known.
    mutating func takeNews(of peer: PeerKey, isMeasured: Bool) -> ReceivedAdvertisement? {
        guard let index = entries.firstIndex(where: { $0.peer == peer }),
            let advertising = entries[index].advertising
        else { return nil }
        let measurement = entries[index].measurement
        var news = ReceivedAdvertisement(
            advertising: advertising, response: entries[index].response,
            interval: isMeasured ? measurement.interval : nil, reach: entries[index].reach)
        if isMeasured { news.alternativeInterval = measurement.alternative }
        return exchange(&entries[index].reported, with: news) == news ? nil : news
    }
}

extension Discovery {
    fileprivate var reach: ReceivedAdvertisement.Reach {
        isConnectable == true ? (isDirected ? .oneDevice : .everyone) : .nobody
    }
}
