internal import MQTT

/// What decides about what is published, and where.
struct MQTTSetting: Hashable, Sendable {
    /// What stands for this machine in topics: letters, digits, hyphens and underscores.
    var host: String
    /// What people call this machine.
    var name: String
    /// The version of this program.
    var version: String
    var content = ServiceConfiguration.Content.app
    /// Whether commands are taken.
    var takesCommands = false
    /// What the topics of Home Assistant's discovery begin with; empty for no discovery.
    var discovery = "homeassistant"

    /// What the configuration says, on a machine whose host name is this.
    init(
        _ section: ServiceConfiguration.MQTTSection, name: String, hostName: String,
        version: String
    ) {
        host = section.name.isEmpty ? Self.level(of: hostName) : section.name
        self.name = name
        self.version = version
        content = section.content
        takesCommands = section.commands
        discovery = section.discovery
    }

    /// The first part of a host name, as it may stand in a topic.
    private static func level(of hostName: String) -> String {
        let label = hostName.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(64)
        let octets = label.map { $0.isFitForTopic ? $0 : UInt8(ascii: "-") }
        return octets.isEmpty ? "ancs" : String(decoding: octets, as: UTF8.self).lowercased()
    }

    /// What the broker publishes when the connection is lost.
    var will: MQTTMessage {
        MQTTMessage(
            topic: MQTTTopic.status.text(self), payload: Array("offline".utf8), isRetained: true)
    }
}

/// A topic that a value is retained at.
enum MQTTTopic: Hashable, Sendable {
    /// Of a phone.
    enum Part: String, Hashable, Sendable, CaseIterable {
        case availability
        case session
        case counts
        case ringing = "call/ringing"
        case currentCall = "call/current"
    }

    /// Whether the daemon is there.
    case status
    /// How many phones there are.
    case phones
    /// What is known of a phone, which its digest names.
    case phone(String, Part)
    /// What Home Assistant is told of an entity of this machine.
    case machineEntity(HomeAssistantEntity)
    /// What it is told of an entity of a phone.
    case phoneEntity(String, HomeAssistantEntity)

    func text(_ setting: MQTTSetting) -> String {
        switch self {
        case .status: "ancs/\(setting.host)/status"
        case .phones: "ancs/\(setting.host)/phones"
        case .phone(let digest, let part): "ancs/\(setting.host)/\(digest)/\(part.rawValue)"
        case .machineEntity(let entity):
            "\(setting.discovery)/\(entity.component)/ancs_\(setting.host)/\(entity.key)/config"
        case .phoneEntity(let digest, let entity):
            "\(setting.discovery)/\(entity.component)/ancs_\(setting.host)_\(digest)/\(entity.key)/config"
        }
    }

    /// All of this machine, those that others refer to first.
    static func ofMachine(_ setting: MQTTSetting) -> [MQTTTopic] {
        let entities = setting.discovery.isEmpty ? [] : HomeAssistantEntity.ofMachine
        return entities.map { .machineEntity($0) } + [.phones, .status]
    }

    /// All of a phone.
    static func ofPhone(_ digest: String, _ setting: MQTTSetting) -> [MQTTTopic] {
        let entities = setting.discovery.isEmpty ? [] : HomeAssistantEntity.ofPhone
        return entities.map { .phoneEntity(digest, $0) } + Part.allCases.map { .phone(digest, $0) }
    }
}
