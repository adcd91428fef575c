internal import JSONText
internal import Octets

// The queues for the broker.

extension MQTTPublisher {
    mutating func publishAll() {
        for topic in MQTTTopic.ofMachine(setting) where topic != .status { put(topic) }
        for phone in memory.phones {
            for topic in MQTTTopic.ofPhone(phone.digest, setting) { put(topic) }
        }
        // The status comes last: once it is published, all other values are current.
        put(.status)
    }

    mutating func put(_ topic: MQTTTopic, isUrgent: Bool = false) {
        guard state == .connected || state == .closing else { return }
        guard waiting.insert(topic).inserted else {
            guard isUrgent, !urgent.contains(where: { $0.isValue(of: topic) }) else { return }
            _ = ordinary.removeAll { $0.isValue(of: topic) }
            urgent.append(.value(topic))
            return
        }
        isUrgent ? urgent.append(.value(topic)) : ordinary.append(.value(topic))
    }

    mutating func report(
        _ record: Record, _ content: RecordContent, _ event: MQTTNotificationEvent
    ) {
        let payload = MQTTRecordText(record: record, content: content).event(event.rawValue)
        report(payload, at: "ancs/\(setting.host)/\(record.phone.digest)/event", isUrgent: false)
    }

    mutating func report(_ record: Record, _ content: RecordContent, _ event: MQTTCallEvent) {
        var payload = MQTTRecordText(record: record, content: content).event(event.rawValue)
        if case .object(let members) = payload, event == .ended || event == .answered {
            payload = .object(members.filter { $0.name != "message" })
        }
        report(
            payload, at: "ancs/\(setting.host)/\(record.phone.digest)/call/event", isUrgent: true)
    }

    mutating func report(_ payload: JSONValue, at topic: String, isUrgent: Bool) {
        guard state == .connected, !isStopping else { return }
        let item = Item.event(topic: topic, payload: payload.text)
        isUrgent ? urgent.append(item) : ordinary.append(item)
        events += 1
        guard events > limits.events else { return }
        dropOldestEvent()
    }

    mutating func dropOldestEvent() {
        var isFirst = true
        let isOldest: (Item) -> Bool = { item in
            guard isFirst, case .event = item else { return false }
            isFirst = false
            return true
        }
        _ = ordinary.removeAll(where: isOldest)
        _ = urgent.removeAll(where: isOldest)
        dropped += 1
        events -= 1
    }

    mutating func clearQueues() {
        dropQueues()
        inFlight.removeAll()
    }

    mutating func dropQueues() {
        urgent.removeAll()
        ordinary.removeAll()
        waiting = []
        events = 0
    }
}
