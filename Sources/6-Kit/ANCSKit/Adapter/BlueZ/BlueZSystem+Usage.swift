internal import BlueZ

// What other programs do with characteristics: whether they are subscribed to one tells whether they use a link, and how
// this program can subscribe. The signals that say so are those in which bluetoothd broadcasts each value that any program
// reads, so they are received only while a peer needs them (``RemotePeer/needsUsage``), and what was before is asked for.
extension BlueZSystem {
    /// What is known of the use of characteristics.
    enum Usage: Equatable, Sendable {
        /// Nothing: their changes are not received.
        case unknown
        /// The changes are received, and bluetoothd was asked for what was before.
        case asked(CallID)
        /// The changes are received, and bluetoothd has not answered; it is asked again at this time.
        case unanswered(askAt: MonotonicInstant)
        /// Everything.
        case known
    }

    private static let changes = changes(of: AttributeObject.characteristic)

    /// Begins to receive the changes of characteristics with the first peer that needs it, and ceases with the last.
    mutating func updateUsage(at now: MonotonicInstant) {
        let isNeeded =
            desk.daemon.state == .present && active.values.contains(where: \.needsUsage)
        switch (usage, isNeeded) {
        case (.unknown, true):
            output(.subscribe(Self.changes))
            askUsage()
        case (.unanswered(let instant), true) where instant <= now: askUsage()
        case (.unknown, false), (_, true): break
        case (_, false):
            output(.unsubscribe(Self.changes))
            note(.unknown)
        }
    }

    private mutating func askUsage() {
        usage = .asked(call(.managedObjects(), for: .own(.usage), within: .seconds(10)))
    }

    /// The peers know it too; one that comes later is told when it comes.
    private mutating func note(_ usage: Usage) {
        self.usage = usage
        book.terms.knowsUsage = usage == .known ? true : nil
    }

    mutating func usageReplied(to call: CallID, _ result: BusResult, at now: MonotonicInstant) {
        guard usage == .asked(call) else { return }
        switch result {
        case .success(let values):
            for change in values.first?.managedObjects ?? [] { noteUsage(change) }
            note(.known)
        case .failure:
            usage = .unanswered(askAt: now + .seconds(10))
            book.terms.knowsUsage = false
        }
        for id in active.filter(\.value.needsUsage).keys.sorted(byNumber: \.rawValue) {
            update(id, at: now) { $0.usageReplied(at: now) }
        }
    }

    private mutating func noteUsage(_ change: ObjectChange) {
        guard case .added(let properties) = change.news, let place = AttributePath(change.path),
            change.interface == AttributeObject.characteristic, let id = book.id(at: place.device)
        else { return }
        book.update(id) { $0.tree.change(place, properties) }
    }
}
