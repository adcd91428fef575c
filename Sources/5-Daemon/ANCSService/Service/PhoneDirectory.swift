internal import ANCSMedia
internal import EventLines

/// The phones that were seen, and their status.
struct PhoneDirectory: Sendable {
    private struct Connection: Sendable {
        var phone: PhoneName
        /// Its identity address, or before pairing the one on air.
        var address: String
        /// Whether it was forgotten while its link still exists: what it sends is ignored.
        var isForgotten = false
        /// Whether it is listed: strangers, who can be many, are not.
        var isListed = false
        /// For each category, the announcement that its count came with.
        var counted: [String: UInt64] = [:]
    }

    /// The maximum number of phones, because any number of devices can pair one after the other.
    private static let limit = 64

    private let name: String
    private let keepsBonds: Bool
    private var connections: [PhoneID: Connection] = [:]
    /// In the order in which they were first seen.
    private(set) var phones: [PhoneStatus] = []

    /// The phones of a device with this name. `keepsBonds` says that pairing again does not replace a bond, as
    /// with bluetoothd: it has to be removed first.
    init(name: String, keepsBonds: Bool = false) {
        self.name = name
        self.keepsBonds = keepsBonds
    }

    /// The name of a connected phone.
    func name(of provider: PhoneID) -> PhoneName {
        connections[provider]?.phone ?? PhoneName(digest: "")
    }

    /// The links that exist, for a dialogue of pairing that begins.
    var links: [PairingDialogue.KnownLink] {
        connections.sorted(byNumber: \.key.rawValue).filter { !$0.value.isForgotten }
            .map { id, connection in
                let status = status(of: id)
                return PairingDialogue.KnownLink(
                    id: id, phone: status?.phone ?? connection.phone,
                    state: status.flatMap { $0.isPaired ? $0.state : nil })
            }
    }

    func status(of provider: PhoneID) -> PhoneStatus? {
        guard let phone = connections[provider]?.phone else { return nil }
        return phones.first { $0.phone.digest == phone.digest }
    }

    /// Whether a phone was forgotten while its link still exists.
    func isForgotten(_ provider: PhoneID) -> Bool { connections[provider]?.isForgotten ?? false }

    /// Adds the bonded phones; returns what has changed.
    mutating func know(_ bonded: [BondedPeer]) -> [PhoneStatus] {
        var news: [PhoneStatus] = []
        for phone in bonded.suffix(Self.limit)
        where !phones.contains(where: { $0.phone.digest == phone.digest }) {
            let name = PhoneName(digest: phone.digest, name: phone.name)
            news.append(PhoneStatus(phone: name, state: .away, isPaired: true))
            put(news[news.count - 1])
        }
        return news
    }

    /// Removes a phone.
    mutating func forget(_ digest: String) {
        phones.removeAll { $0.phone.digest == digest }
        for id in connections.keys where connections[id]?.phone.digest == digest {
            connections[id]?.isForgotten = true
        }
    }

    /// Stores the category count that came with a notification; returns whether it has changed. Notifications
    /// do not arrive in the order of their announcements, and the last announcement has the count that is true.
    mutating func count(_ notification: ReceivedNotification) -> Bool {
        let category = notification.category.description
        let number = notification.delivery.announcementNumber
        if number > 0, let counted = connections[notification.provider]?.counted {
            guard number >= counted[category] ?? 0 else { return false }
            connections[notification.provider]?.counted[category] = number
        }
        let changed = change(notification.provider) { status in
            let count = notification.categoryCount
            guard status.counts[category] != count else { return }
            status.counts[category] = count > 0 ? count : nil
        }
        return !changed.isEmpty
    }

    /// What is playing on a phone; returns what has changed.
    mutating func receive(_ media: PhoneMedia) -> [PhoneStatus] {
        change(media.provider) { $0.player = media.state.flatMap { $0.hasPlayer ? $0 : nil } }
    }

    /// The latest link to the phone with this digest, and its address there.
    func link(to digest: String) -> (id: PhoneID, address: String)? {
        connections.filter { $0.value.phone.digest == digest && !$0.value.isForgotten }
            .max { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value.address) }
    }

    /// Applies an event; returns what has changed.
    mutating func receive(_ event: ConsumerEvent) -> [PhoneStatus] {
        switch event {
        case .peer(let id, .connected(let description)): connected(id, description)
        case .peer(let id, .paired(let description, _, _)): paired(id, description)
        case .peer(let id, .linkParameters(let link)): change(id) { $0.link = link }
        case .peer(let id, .named(let name)): named(id, name)
        case .peer(let id, .pairing(let request)):
            request.isAboutBond
                ? news(id, .unaccepted, PairingAdvice.acceptance) : news(id, .pairing)
        case .peer(let id, .unserved(let reason)):
            news(id, reason == .noPlace ? .noPlace : .unaccepted, PairingAdvice.unserved(reason))
        case .peer(let id, .secured(let protection)): protection.isEncrypted ? encrypted(id) : []
        // A device that was refused for what it is gets no advice; 'ancs pair' says what to do.
        case .peer(let id, .securityFailed(.notAuthenticated)):
            connections[id]?.isListed == true ? news(id, .connected) : []
        case .peer(let id, .securityFailed(let failure)):
            connections[id]?.isListed == true ? news(id, .connected, failure.message) : []
        case .peer(let id, .keyTrouble(let trouble)): keyTrouble(id, trouble)
        case .peer(let id, .disconnected): disconnected(id)
        case .session(let id, .waitingForService): news(id, .waitingForService, missingService)
        case .session(let id, .authorizationChanged(.unauthorized)):
            news(id, .unauthorized, PairingAdvice.sharing(name).sentence)
        case .session(let id, .started), .session(let id, .authorizationChanged),
            .session(let id, .livenessChanged(.live)):
            news(id, .subscribed)
        case .session(let id, .livenessChanged(.wedged)): news(id, .silent, PairingAdvice.toggle)
        case .session(let id, .ended): ended(id)
        // Also a device that may not pair: any in range can ask to, and is none of the owner's phones.
        case .device, .peer, .session, .notification: []
        }
    }

    /// With bluetoothd, bonds are kept.
    private var missingService: String {
        PairingAdvice.missingService(
            name, at: .init(isBluetoothd: keepsBonds), removal: "'ancs forget'"
        ).sentence
    }

    /// The user has accepted a phone, or declined it; returns what has changed.
    mutating func decided(_ digest: String, isAccepted: Bool) -> PhoneStatus? {
        guard let index = phones.firstIndex(where: { $0.phone.digest == digest }),
            phones[index].state == .unaccepted
        else { return nil }
        let isConnected = connections.values.contains { $0.phone.digest == digest }
        if isAccepted { phones[index].state = isConnected ? .connected : .away }
        phones[index].advice = isAccepted ? nil : PairingAdvice.unserved(.declined)
        return phones[index]
    }

    // MARK: Changes

    private mutating func connected(
        _ id: PhoneID, _ description: PeerDescription
    ) -> [PhoneStatus] {
        let earlier = phones.first { $0.phone.digest == description.digest }
        let phone = PhoneName(digest: description.digest, name: earlier?.phone.name)
        let isBonded = description.identity != nil
        connections[id] = Connection(
            phone: phone, address: description.identity ?? description.address,
            isListed: isBonded || earlier != nil)
        guard isBonded || earlier != nil else { return [] }
        // A phone without its keys connects again and again: nothing has changed until it has keys.
        if earlier?.keyAdvice != nil { return [] }
        // Only keys prove that it is the phone of another link.
        if earlier.map({ $0.state != .away }) == true { return [] }
        let status = PhoneStatus(
            phone: phone, state: .connected, isPaired: isBonded || earlier?.isPaired == true,
            link: description.link)
        put(status)
        return [status]
    }

    /// A device that was a stranger turns out to be a phone of the owner's.
    private mutating func list(_ id: PhoneID) {
        guard let connection = connections[id], !connection.isListed, !connection.isForgotten
        else { return }
        connections[id]?.isListed = true
        put(PhoneStatus(phone: connection.phone, state: .connected, isPaired: false))
    }

    /// Pairing reveals the identity of a phone.
    private mutating func paired(_ id: PhoneID, _ description: PeerDescription) -> [PhoneStatus] {
        guard let earlier = connections[id]?.phone else { return [] }
        let link = status(of: id)?.link
        if earlier.digest != description.digest {
            phones.removeAll { $0.phone.digest == earlier.digest }
        }
        let known = phones.first { $0.phone.digest == description.digest }
        let phone = PhoneName(digest: description.digest, name: earlier.name ?? known?.phone.name)
        connections[id] = Connection(
            phone: phone, address: description.identity ?? description.address, isListed: true)
        let status = PhoneStatus(phone: phone, state: .connected, isPaired: true, link: link)
        put(status)
        return [status]
    }

    private mutating func named(_ id: PhoneID, _ name: String) -> [PhoneStatus] {
        connections[id]?.phone.name = name
        return change(id) { $0.phone.name = name }
    }

    /// The keys of a paired phone do not work, or another device claims to be it.
    private mutating func keyTrouble(_ id: PhoneID, _ trouble: KeyTrouble) -> [PhoneStatus] {
        let advice = text(of: trouble, with: id)
        return change(id) { status in
            (status.isPaired, status.advice) = (true, advice)
            status.keys = trouble.isLasting ? .lost : .doubtful
            if status.keyAdvice == nil { status.state = .connected }
        }
    }

    /// Trouble with the keys of a phone, and what its user can do.
    func text(of trouble: KeyTrouble, with id: PhoneID) -> String {
        let address = connections[id]?.address ?? "ADDRESS"
        return trouble.message(
            of: name, pairing: "run 'ancs pair'",
            removal: keepsBonds ? "run 'bluetoothctl remove \(address)'" : nil)
    }

    /// The link is encrypted, so the phone has its keys. That of a pairing is so before it has shown its identity.
    private mutating func encrypted(_ id: PhoneID) -> [PhoneStatus] {
        list(id)
        return change(id) { status in
            if status.keyAdvice != nil { status.advice = nil }
            status.keys = .fine
            if status.state == .away { status.state = .connected }
        }
    }

    private mutating func ended(_ id: PhoneID) -> [PhoneStatus] {
        // The next session counts its announcements from 1.
        connections[id]?.counted = [:]
        return change(id) { status in
            (status.state, status.advice, status.counts) = (.connected, nil, [:])
        }
    }

    private mutating func disconnected(_ id: PhoneID) -> [PhoneStatus] {
        // Another link of the same phone may have its keys.
        let digest = connections[id]?.phone.digest
        if connections.contains(where: { $0.key != id && $0.value.phone.digest == digest }) {
            connections[id] = nil
            return []
        }
        let status = change(id) { status in
            (status.link, status.player) = (nil, nil)
            guard status.state != .unaccepted else { return }
            (status.state, status.advice, status.counts) = (.away, status.keyAdvice, [:])
        }
        connections[id] = nil
        phones.removeAll { $0.phone.digest == digest && !$0.isPaired }
        return status
    }

    private mutating func news(
        _ id: PhoneID, _ state: PhoneStatus.State, _ advice: String? = nil
    ) -> [PhoneStatus] {
        list(id)
        return change(id) { ($0.state, $0.keys, $0.advice) = (state, .fine, advice) }
    }

    /// Changes a status; returns it alone if it is different, otherwise nothing.
    private mutating func change(
        _ id: PhoneID, _ body: (inout PhoneStatus) -> Void
    ) -> [PhoneStatus] {
        guard let index = place(of: id) else { return [] }
        let earlier = phones[index]
        body(&phones[index])
        return phones[index] == earlier ? [] : [phones[index]]
    }

    /// Apart from `change`, of which the optimizer makes a copy for each closure.
    @inline(never) private func place(of id: PhoneID) -> Int? {
        guard let phone = connections[id]?.phone else { return nil }
        return phones.firstIndex { $0.phone.digest == phone.digest }
    }

    private mutating func put(_ status: PhoneStatus) {
        if let index = phones.firstIndex(where: { $0.phone.digest == status.phone.digest }) {
            phones[index] = status
            return
        }
        if phones.count >= Self.limit {
            // Devices that have yet to pair are dropped first.
            let oldest =
                phones.firstIndex { !$0.isPaired } ?? phones.firstIndex { $0.state == .away } ?? 0
            phones.remove(at: oldest)
        }
        phones.append(status)
    }
}

extension PhoneStatus {
    /// The advice, if it is about the keys of the phone. Other advice is about its session, and ends with it.
    fileprivate var keyAdvice: String? {
        switch state {
        case .away, .connected: advice
        case .pairing, .waitingForService, .subscribed, .unauthorized, .silent, .unaccepted,
            .noPlace:
            nil
        }
    }
}
