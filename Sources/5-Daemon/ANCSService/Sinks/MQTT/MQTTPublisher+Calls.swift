// Calls, which are published ahead of everything that is queued.
extension MQTTPublisher {
    /// Publishes what happened to a call.
    mutating func receive(_ event: CallEvent, of record: Record) {
        guard phones[record.phone.digest] != nil else { return }
        let content = content(of: record)
        switch event {
        case .incoming:
            guard let content else { return }
            put(PublishedCall(record: record, stage: .ringing))
            report(record, content, .incoming)
        case .answered:
            guard let content else { return end(record, .none) }
            put(PublishedCall(record: record, stage: .active))
            report(record, content, .answered)
        case .ended: end(record, content ?? .none)
        }
    }

    /// Keeps a call, and publishes that it is there.
    mutating func put(_ call: PublishedCall) {
        let digest = call.record.phone.digest
        let wasInCall = phones[digest]?.isInCall
        phones[digest]?.calls.removeAll { $0.record.id == call.record.id }
        phones[digest]?.calls.append(call)
        if let count = phones[digest]?.calls.count, count > limits.calls {
            phones[digest]?.calls.removeFirst()
        }
        putCalls(of: digest, wasInCall)
    }

    /// A call is over, or a rule now suppresses it.
    mutating func end(_ record: Record, _ content: RecordContent) {
        guard let (digest, index) = place(of: record) else { return }
        let wasInCall = phones[digest]?.isInCall
        phones[digest]?.calls.remove(at: index)
        putCalls(of: digest, wasInCall)
        report(record, content, .ended)
    }

    /// Its notification is gone: it does not ring any more, and what became of it is not known yet.
    mutating func stopRinging(_ record: Record) {
        guard let (digest, index) = place(of: record),
            phones[digest]?.calls[index].stage == .ringing
        else { return }
        phones[digest]?.calls[index].stage = .settling
        putCalls(of: digest, phones[digest]?.isInCall)
    }

    /// Its text has arrived.
    mutating func refreshCall(_ record: Record) {
        guard let (digest, index) = place(of: record) else { return }
        phones[digest]?.calls[index].record = record
        put(.phone(digest, .currentCall), isUrgent: true)
    }

    private mutating func putCalls(of digest: String, _ wasInCall: Bool?) {
        put(.phone(digest, .ringing), isUrgent: true)
        put(.phone(digest, .currentCall), isUrgent: true)
        if phones[digest]?.isInCall != wasInCall { put(.phone(digest, .inCall), isUrgent: true) }
    }

    private func place(of record: Record) -> (digest: String, index: Int)? {
        let digest = record.phone.digest
        return phones[digest]?.calls.firstIndex { $0.record.id == record.id }.map { (digest, $0) }
    }
}

extension MQTTPublisher.Phone {
    /// The ringing call, the latest one.
    var ringing: Record? { calls.last { $0.stage == .ringing }?.record }
    var isInCall: Bool { calls.contains { $0.stage == .active } }
}
