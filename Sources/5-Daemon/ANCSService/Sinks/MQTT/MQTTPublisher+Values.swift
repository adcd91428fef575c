internal import AMS
internal import ANCS
internal import JSONText
internal import MQTT
internal import LinuxIO

// The values of topics.
extension MQTTPublisher {
    /// The current message of a queued item; `nil` if there is none any more.
    mutating func message(of item: Item) -> MQTTMessage? {
        switch item {
        case .event(let topic, let payload):
            events -= 1
            return MQTTMessage(topic: topic, payload: Array(payload.utf8))
        case .withdrawal(let topic):
            guard memory.leftovers.contains(topic) else { return nil }
            return MQTTMessage(topic: topic, payload: [], isRetained: true)
        case .value(let topic):
            waiting.remove(topic)
            guard let value = value(of: topic) else { return nil }
            return MQTTMessage(
                topic: topic.text(setting), payload: Array(value.utf8), isRetained: true)
        }
    }

    /// The current value of a topic; `nil` if it has none.
    func value(of topic: MQTTTopic) -> String? {
        let discovery = HomeAssistantDiscovery(setting: setting)
        switch topic {
        case .status: return state == .closing ? "offline" : "online"
        case .phones:
            let connected = phones.values.count { $0.state != .away }
            let value: JSONValue = [
                "connected": .integer(connected), "known": .integer(phones.count),
            ]
            return value.text
        case .phone(let digest, let part): return phones[digest]?.value(of: part, setting)
        case .machineEntity(let entity): return discovery.payload(entity).text
        case .phoneEntity(let digest, let entity):
            guard let phone = phones[digest], phone.introduction == nil else { return nil }
            // An empty value withdraws what an earlier configuration has published.
            guard setting.takesCommands || !entity.isCommand,
                setting.publishesMedia || !entity.isOfPlayer
            else { return "" }
            return discovery.payload(entity, of: phone.name).text
        }
    }
}

extension MQTTPublisher.Phone {
    func value(of part: MQTTTopic.Part, _ setting: MQTTSetting) -> String {
        switch part {
        case .availability: state == .subscribed ? "online" : "offline"
        case .session:
            JSONValue.object(present: [
                "state": .string(state.rawValue), "advice": advice.map { .string($0) },
            ]).text
        case .counts:
            JSONValue.object(
                [.init("total", .integer(counts.values.reduce(0, +)))]
                    + countedCategories.map { .init($0.key, .integer($0.value)) }
            ).text
        case .ringing: ringing == nil ? "OFF" : "ON"
        case .inCall: isInCall ? "ON" : "OFF"
        case .currentCall: currentCall(setting).text
        // An empty value withdraws what an earlier configuration has published.
        case .player: setting.publishesMedia ? playerValue(setting.content).text : ""
        }
    }

    /// What the player does, with as much of it as may be published: titles are texts as those of notifications are. A
    /// state of Home Assistant has at most 255 characters.
    private func playerValue(_ content: RecordContent) -> JSONValue {
        func value(_ text: String?, from least: RecordContent) -> JSONValue {
            guard let text, content == .full || content == least else { return .null }
            return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(255))))
        }
        return [
            "state": .string(player?.word ?? "off"), "app": value(player?.app, from: .app),
            "title": value(player?.title?.string, from: .full),
            "artist": value(player?.artist?.string, from: .full),
            "album": value(player?.album?.string, from: .full),
        ]
    }

    /// The categories with their counts. Missed calls are included even if there are none, because an entity
    /// shows their number.
    private var countedCategories: [(key: String, value: Int)] {
        counts.merging([CategoryID.missedCall.description: 0]) { own, _ in own }
            .sorted(byText: \.key)
    }

    func currentCall(_ setting: MQTTSetting) -> JSONValue {
        guard let call = ringing else { return [:] }
        let content =
            switch call.verdict.publication {
            case .content(let content)?: content
            case nil, .some(.none): setting.content
            }
        return MQTTRecordText(record: call, content: content).call
    }
}
