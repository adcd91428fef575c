internal import MQTT

/// Decides what is published, and where.
struct MQTTSetting: Equatable, Sendable {
    /// The name of this machine in topics: letters, digits, hyphens and underscores.
    var host: String
    /// The name of this machine, for display.
    var name: String
    /// The version of this program.
    var version: String
    var content = RecordContent.app
    /// Whether commands are accepted.
    var takesCommands = false
    /// Whether what is playing on the phones is published.
    var publishesMedia = false
    /// The prefix of Home Assistant's discovery topics; empty for no discovery.
    var discovery = "homeassistant"

    /// The setting of a configuration, on a machine with this host name.
    init(
        _ section: ServiceConfiguration.MQTTSection, name: String, hostName: String, version: String
    ) {
        host = section.name.isEmpty ? Self.level(of: hostName) : section.name
        self.name = name
        self.version = version
        content = section.content
        takesCommands = section.commands
        publishesMedia = section.media
        discovery = section.discovery
    }

    /// The first part of a host name, in a form for topics.
    private static func level(of hostName: String) -> String {
        let label = hostName.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(64)
        let octets = label.map { $0.isFitForTopic ? $0 : UInt8(ascii: "-") }
        return octets.isEmpty ? "ancs" : String(decoding: octets, as: UTF8.self).lowercased()
    }

    /// The message that the broker publishes when the connection is lost.
    var will: MQTTMessage {
        MQTTMessage(
            topic: MQTTTopic.status.text(self), payload: Array("offline".utf8), isRetained: true)
    }
}

/// A topic with a retained value.
enum MQTTTopic: Hashable, Sendable {
    /// A topic of a phone.
    enum Part: String, Equatable, Sendable, CaseIterable {
        case availability
        case session
        case counts
        case ringing = "call/ringing"
        case inCall = "call/active"
        case currentCall = "call/current"
        case player
    }

    /// Whether the daemon is running.
    case status
    /// The number of phones.
    case phones
    /// The state of a phone, identified by its digest.
    case phone(String, Part)
    /// The discovery of an entity of this machine.
    case machineEntity(HomeAssistantEntity)
    /// The discovery of an entity of a phone.
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

    /// All topics of this machine; those that others refer to come first.
    static func ofMachine(_ setting: MQTTSetting) -> [MQTTTopic] {
        let entities = setting.discovery.isEmpty ? [] : HomeAssistantEntity.ofMachine
        return entities.map { .machineEntity($0) } + [.phones, .status]
    }

    /// All topics of a phone.
    static func ofPhone(_ digest: String, _ setting: MQTTSetting) -> [MQTTTopic] {
        let entities = setting.discovery.isEmpty ? [] : HomeAssistantEntity.ofPhone
        return entities.map { .phoneEntity(digest, $0) } + Part.allCases.map { .phone(digest, $0) }
    }
}
