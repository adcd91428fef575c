internal import JSONText

/// The discovery messages for Home Assistant, with unabbreviated keys as in its documentation.
struct HomeAssistantDiscovery: Sendable {
    let setting: MQTTSetting

    /// For an entity of this machine.
    func payload(_ entity: HomeAssistantEntity) -> JSONValue {
        payload(entity, device: machine, base: "ancs/\(setting.host)", id: machineID)
    }

    /// For an entity of a phone.
    func payload(_ entity: HomeAssistantEntity, of phone: PhoneName) -> JSONValue {
        let id = "\(machineID)_\(phone.digest)"
        return payload(
            entity, device: device(phone, id), base: "ancs/\(setting.host)/\(phone.digest)", id: id)
    }

    private var machineID: String { "ancs_\(setting.host)" }

    private func payload(
        _ entity: HomeAssistantEntity, device: JSONValue, base: String, id: String
    ) -> JSONValue {
        let first = [JSONValue.Member](present: [
            "name": .string(entity.name), "unique_id": .string("\(id)_\(entity.key)"),
        ])
        let optional = [JSONValue.Member](present: [
            "value_template": entity.template.map { .string($0) },
            "json_attributes_topic": entity.attributes.map { .string("\(base)/\($0)") },
        ])
        let last = [JSONValue.Member](present: ["qos": 1, "device": device, "origin": origin])
        return .object(
            first + Self.topics(of: entity, base: base) + optional
                + entity.properties.flatMap(\.members) + availability(of: entity, base: base)
                + last)
    }

    private static func topics(of entity: HomeAssistantEntity, base: String) -> [JSONValue.Member] {
        switch entity.source {
        case .machine(let topic), .phone(let topic):
            [.init("state_topic", .string("\(base)/\(topic)"))]
        case .command(let payload):
            [
                .init("command_topic", .string("\(base)/perform")),
                .init("payload_press", .string(payload)),
            ]
        }
    }

    private func availability(of entity: HomeAssistantEntity, base: String) -> [JSONValue.Member] {
        let daemon: JSONValue = ["topic": .string("ancs/\(setting.host)/status")]
        switch entity.availability {
        case .always: return []
        case .withDaemon: return [.init("availability", [daemon])]
        case .withPhone:
            let phone: JSONValue = ["topic": .string("\(base)/availability")]
            return [
                .init("availability", [daemon, phone]), .init("availability_mode", "all"),
            ]
        }
    }

    private var machine: JSONValue {
        [
            "identifiers": [.string(machineID)], "name": .string(setting.name),
            "manufacturer": "swift-ancs", "model": "ANCS gateway",
            "sw_version": .string(setting.version),
        ]
    }

    private func device(_ phone: PhoneName, _ id: String) -> JSONValue {
        [
            "identifiers": [.string(id)], "name": .string(phone.nameForPeople),
            "manufacturer": "Apple", "via_device": .string(machineID),
        ]
    }

    private var origin: JSONValue {
        ["name": "swift-ancs", "sw_version": .string(setting.version)]
    }
}

extension HomeAssistantEntity.Property {
    fileprivate var members: [JSONValue.Member] {
        switch self {
        case .deviceClass(let name): [.init("device_class", .string(name))]
        case .stateClass(let name): [.init("state_class", .string(name))]
        case .icon(let name): [.init("icon", .string(name))]
        case .isDiagnostic: [.init("entity_category", "diagnostic")]
        case .eventTypes(let types): [.init("event_types", .array(types.map { .string($0) }))]
        case .payloads(let on, let off):
            [.init("payload_on", .string(on)), .init("payload_off", .string(off))]
        }
    }
}

extension PhoneName {
    /// The name to display, in one line.
    var nameForPeople: String {
        let text = PopupText.shown(name ?? "", as: .line, limit: 128)
        return text.isEmpty ? "iPhone \(digest.prefix(4))" : text
    }
}
