internal import ANCS
internal import ANCSReceiver
internal import JSONText
internal import Octets

// Events of the daemon.

extension MQTTPublisher {
    /// Handles an event of the daemon.
    mutating func receive(_ event: ServiceEvent, at now: MonotonicInstant) {
        switch event {
        case .announced(let record): announce(record)
        case .added(let record): add(record)
        case .modified(let record): modify(record)
        case .removed(let record, let reason): remove(record, reason)
        case .phone(let status): update(status, at: now)
        case .forgotten(let phone): forget(phone.digest)
        case .state(let state): isStopping = isStopping || state.phase == .stopping
        case .pairing, .pairingStep, .pairingWindow: break
        }
    }

    /// Takes over the existing records from another publisher, without reporting them as new.
    mutating func adopt(
        _ statuses: [PhoneStatus], _ records: [Record], at now: MonotonicInstant
    ) {
        for status in statuses { update(status, at: now) }
        for record in records where content(of: record) != nil {
            let digest = record.phone.digest
            guard let calls = phones[digest]?.calls else { continue }
            keep(record)
            if record.isRinging { phones[digest]?.calls = (calls + [record]).suffix(limits.calls) }
        }
    }

    /// How much of a record is published; `nil` for nothing.
    func content(of record: Record) -> RecordContent? {
        guard !record.verdict.isMuted else { return nil }
        return switch record.verdict.publication {
        case nil: setting.content
        case .content(let content)?: content
        case .some(.none): nil
        }
    }

    /// Publishes a ringing call, ahead of everything that is queued.
    mutating func announce(_ record: Record) {
        guard let content = content(of: record), phones[record.phone.digest] != nil else { return }
        keep(record)
        ring(record, content)
    }

    mutating func ring(_ record: Record, _ content: RecordContent) {
        let digest = record.phone.digest
        guard phones[digest]?.calls.contains(where: { $0.id == record.id }) == false else { return }
        phones[digest]?.calls.append(record)
        if let count = phones[digest]?.calls.count, count > limits.calls {
            phones[digest]?.calls.removeFirst()
        }
        put(.phone(digest, .ringing), isUrgent: true)
        put(.phone(digest, .currentCall), isUrgent: true)
        report(record, content, .incoming)
    }

    mutating func add(_ record: Record) {
        guard let content = content(of: record), phones[record.phone.digest] != nil else {
            // It was announced, but a rule about its text suppresses it now.
            return withdraw(record)
        }
        let isAnnounced = entries[record.id] != nil
        keep(record)
        if record.isRinging {
            isAnnounced ? refreshCall(record) : ring(record, content)
        }
        // Earlier notifications are part of the counts, but not reported as new.
        guard !record.notification.isPreExisting, record.sameAs == nil else { return }
        report(record, content, .added)
        switch record.notification.category {
        case .missedCall: report(record, content, .missed)
        case .voicemail: report(record, content, .voicemail)
        // CategoryID is open: the topics of others have all that is to say.
        case _: break
        }
    }

    mutating func modify(_ record: Record) {
        guard let content = content(of: record), phones[record.phone.digest] != nil else {
            return withdraw(record)
        }
        keep(record)
        if record.isRinging { refreshCall(record) }
        report(record, content, .modified)
    }

    mutating func remove(_ record: Record, _ reason: ServiceEvent.RemovalReason) {
        guard entries.removeValue(forKey: record.id) != nil else { return }
        let content = content(of: record) ?? .none
        hangUp(record, content)
        guard reason != .replaced else { return }
        report(record, content, .removed)
    }

    /// Withdraws a record that a rule now suppresses.
    mutating func withdraw(_ record: Record) {
        guard entries.removeValue(forKey: record.id) != nil else { return }
        hangUp(record, .none)
    }

    mutating func hangUp(_ record: Record, _ content: RecordContent) {
        guard let (digest, index) = ringing(record) else { return }
        phones[digest]?.calls.remove(at: index)
        put(.phone(digest, .ringing), isUrgent: true)
        put(.phone(digest, .currentCall), isUrgent: true)
        report(record, content, .ended)
    }

    mutating func keep(_ record: Record) {
        let notification = record.notification
        entries[record.id] = Entry(
            phone: record.phone.digest, flags: notification.flags, category: notification.category,
            date: notification.date)
    }

    /// Its text has arrived.
    mutating func refreshCall(_ record: Record) {
        guard let (digest, index) = ringing(record) else { return }
        phones[digest]?.calls[index] = record
        put(.phone(digest, .currentCall), isUrgent: true)
    }

    private func ringing(_ record: Record) -> (digest: String, index: Int)? {
        let digest = record.phone.digest
        return phones[digest]?.calls.firstIndex { $0.id == record.id }.map { (digest, $0) }
    }
}
