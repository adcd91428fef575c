internal import Octets

// The phones published to the broker.

extension MQTTPublisher {
    mutating func update(_ status: PhoneStatus, at now: MonotonicInstant) {
        let digest = status.phone.digest
        // An unknown device that only connects must not create devices in Home Assistant.
        if phones[digest] == nil, status.state == .subscribed { meet(status.phone, at: now) }
        guard var phone = phones[digest] else { return }
        let earlier = phone
        (phone.state, phone.advice, phone.counts) = (status.state, status.advice, status.counts)
        phone.name.name = status.phone.name ?? phone.name.name
        phones[digest] = phone
        if phone.state != earlier.state || phone.advice != earlier.advice {
            put(.phone(digest, .session))
            put(.phone(digest, .availability))
            put(.phones)
        }
        if phone.counts != earlier.counts { put(.phone(digest, .counts)) }
        phones[digest]?.player = status.player
        if phone.value(of: .player, setting) != phones[digest]?.value(of: .player, setting) {
            put(.phone(digest, .player))
        }
        if phone.name != earlier.name { rename(digest) }
    }

    mutating func meet(_ name: PhoneName, at now: MonotonicInstant) {
        if phones.count >= MQTTMemory.phoneLimit {
            let oldest = memory.phones.first { phones[$0.digest]?.state == .away }
            forget((oldest ?? memory.phones[0]).digest)
        }
        var phone = Phone(name: name)
        if name.name == nil { phone.introduction = now + limits.namePatience }
        phones[name.digest] = phone
        memory.phones.append(name)
        let topics = Set(MQTTTopic.ofPhone(name.digest, setting).map { $0.text(setting) })
        memory.leftovers.removeAll(where: topics.contains)
        outputs.append(.remember(memory))
        if phone.introduction == nil { putEntities(of: name.digest) }
        for part in MQTTTopic.Part.allCases { put(.phone(name.digest, part)) }
        put(.phones)
    }

    mutating func rename(_ digest: String) {
        guard let name = phones[digest]?.name,
            let index = memory.phones.firstIndex(where: { $0.digest == digest })
        else { return }
        memory.phones[index] = name
        outputs.append(.remember(memory))
        introduce(digest)
    }

    mutating func introduce(_ digest: String) {
        phones[digest]?.introduction = nil
        putEntities(of: digest)
    }

    mutating func putEntities(of digest: String) {
        guard !setting.discovery.isEmpty else { return }
        for entity in HomeAssistantEntity.ofPhone { put(.phoneEntity(digest, entity)) }
    }

    /// Removes everything about a phone, here and on the broker; if the broker is unavailable, once it is
    /// back.
    mutating func forget(_ digest: String) {
        guard phones.removeValue(forKey: digest) != nil else { return }
        entries = entries.filter { $0.value.phone != digest }
        memory.phones.removeAll { $0.digest == digest }
        let topics = MQTTTopic.ofPhone(digest, setting).map { $0.text(setting) }
        memory.leave(topics)
        outputs.append(.remember(memory))
        put(.phones)
        guard state == .connected else { return }
        for topic in topics { ordinary.append(.withdrawal(topic)) }
    }
}
