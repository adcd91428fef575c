internal import AccessoryConformance

/// What lasted in a run: advertising, links and their parameters, encryption, and fades of the radio.
struct ReportBands: Equatable, Sendable {
    /// What lasts; the raw value is the name of its row.
    enum Kind: String, CaseIterable, Equatable, Sendable {
        case advertising = "advertises"
        case link
        case encryption = "encrypted"
        case fade
    }

    struct Band: Equatable, Sendable {
        var kind: Kind
        /// The number of the accessory, counted from 0; `nil` for the whole radio.
        var accessory: Int?
        var start: Duration
        /// `nil` while it lasts.
        var end: Duration?
        /// What it has, such as connection parameters.
        var text: String
        /// Whether it ended because the link was lost.
        var isLost = false
    }

    /// How many bands are kept; the axis has no room for more.
    private static let limit = 400

    private(set) var bands: [Band] = []

    /// What an event of an accessory begins or ends.
    mutating func observe(_ event: ProviderEvent, of accessory: Int, at time: Duration) {
        switch event {
        case .link(_, .advertised(let advertisement)):
            let interval = advertisement.intervalMilliseconds.map {
                "every \(($0 * 10).rounded() / 10) ms"
            }
            begin(.advertising, of: accessory, interval ?? "", at: time)
        case .peer(_, .connected(let peer)):
            end(.advertising, of: accessory, at: time)
            begin(.link, of: accessory, peer.link?.message ?? "", at: time)
        case .link(_, .parametersUpdated(let link)), .peer(_, .linkParameters(let link)):
            begin(.link, of: accessory, link.message, at: time)
        case .peer(_, .secured(let protection)):
            guard protection.isEncrypted else { return end(.encryption, of: accessory, at: time) }
            begin(
                .encryption, of: accessory,
                protection.usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing",
                at: time)
        case .peer(_, .disconnected(let reason)):
            let isLost = reason == .link(.connectionTimeout)
            end(.encryption, of: accessory, at: time, isLost: isLost)
            end(.link, of: accessory, at: time, isLost: isLost)
        case .device, .peer, .link, .session, .notification: break
        }
    }

    /// A fade of the whole radio begins, or the last one ends.
    mutating func fade(_ isOn: Bool, at time: Duration) {
        if isOn { begin(.fade, of: nil, "", at: time) } else { end(.fade, of: nil, at: time) }
    }

    /// The run is over.
    mutating func finish(at time: Duration) {
        bands.removeAll { $0.start > time }
        for index in bands.indices { bands[index].end = min(bands[index].end ?? time, time) }
    }

    private func open(_ kind: Kind, of accessory: Int?) -> Int? {
        bands.lastIndex { $0.kind == kind && $0.accessory == accessory && $0.end == nil }
    }

    private mutating func begin(
        _ kind: Kind, of accessory: Int?, _ text: String, at time: Duration
    ) {
        if let index = open(kind, of: accessory) {
            guard bands[index].text != text else { return }
            bands[index].end = time
        }
        guard bands.count < Self.limit else { return }
        bands.append(Band(kind: kind, accessory: accessory, start: time, text: text))
    }

    private mutating func end(
        _ kind: Kind, of accessory: Int?, at time: Duration, isLost: Bool = false
    ) {
        guard let index = open(kind, of: accessory) else { return }
        bands[index].end = time
        bands[index].isLost = isLost
    }
}
