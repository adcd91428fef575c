internal import ANCSReceiver

// Events of the daemon.

extension MQTTPublisher {
    /// Handles an event of the daemon.
    mutating func receive(_ event: ServiceEvent, at now: MonotonicInstant) {
        switch event {
        case .announced(let record): announce(record)
        case .call(let record, let event): receive(event, of: record)
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
        _ statuses: [PhoneStatus], _ records: [Record],
        _ calls: [(record: Record, isActive: Bool)], at now: MonotonicInstant
    ) {
        for status in statuses { update(status, at: now) }
        for record in records where content(of: record) != nil {
            if phones[record.phone.digest] != nil { keep(record) }
        }
        for (record, isActive) in calls where content(of: record) != nil {
            put(PublishedCall(record: record, stage: isActive ? .active : .ringing))
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

    mutating func announce(_ record: Record) {
        guard content(of: record) != nil, phones[record.phone.digest] != nil else { return }
        keep(record)
    }

    mutating func add(_ record: Record) {
        guard let content = content(of: record), phones[record.phone.digest] != nil else {
            // It was announced, but a rule about its text suppresses it now.
            return withdraw(record)
        }
        keep(record)
        refreshCall(record)
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
        refreshCall(record)
        report(record, content, .modified)
    }

    mutating func remove(_ record: Record, _ reason: ServiceEvent.RemovalReason) {
        guard entries.removeValue(forKey: record.id) != nil else { return }
        stopRinging(record)
        guard reason != .replaced else { return }
        report(record, content(of: record) ?? .none, .removed)
    }

    /// Withdraws a record that a rule now suppresses.
    mutating func withdraw(_ record: Record) {
        guard entries.removeValue(forKey: record.id) != nil else { return }
        end(record, .none)
    }

    mutating func keep(_ record: Record) {
        let notification = record.notification
        entries[record.id] = Entry(
            phone: record.phone.digest, flags: notification.flags, category: notification.category,
            date: notification.date)
    }
}
