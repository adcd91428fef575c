/// An entity of Home Assistant: a row in the tables of entities.
///
/// Each entity has its own discovery topic, which every Home Assistant since 2023.8 supports; a topic for a
/// whole device was added in 2024.11. https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
struct HomeAssistantEntity: Hashable, Sendable {
    /// When it is available.
    enum Availability: Hashable, Sendable {
        /// Always: its state is whether the daemon is running.
        case always
        /// While the daemon is running.
        case withDaemon
        /// While the notifications of the phone arrive.
        case withPhone
    }

    /// The topic of its state or command.
    enum Source: Hashable, Sendable {
        /// A topic of this machine.
        case machine(String)
        /// A topic of the phone.
        case phone(String)
        /// A button that publishes this to the phone's `perform`.
        case command(String)
    }

    /// The Home Assistant component, such as `binary_sensor`.
    var component: String
    /// Its identifier within its device.
    var key: String
    var name: String
    var source: Source
    /// The template that extracts a member of the state; `nil` to use the whole state, or for an event.
    var template: String?
    /// The topic of the phone with its attributes.
    var attributes: String?
    var availability = Availability.withPhone
    /// Further keys for Home Assistant, and their values.
    var properties: [Property] = []

    enum Property: Hashable, Sendable {
        case deviceClass(String)
        case stateClass(String)
        case icon(String)
        case isDiagnostic
        case eventTypes([String])
        case payloads(on: String, off: String)
    }
}

extension HomeAssistantEntity {
    /// The entities of this machine.
    static let ofMachine = [
        HomeAssistantEntity(
            component: "binary_sensor", key: "running", name: "Running", source: .machine("status"),
            availability: .always,
            properties: [
                .deviceClass("connectivity"), .isDiagnostic,
                .payloads(on: "online", off: "offline"),
            ]),
        HomeAssistantEntity(
            component: "sensor", key: "phones", name: "Phones", source: .machine("phones"),
            template: "{{ value_json.connected }}", availability: .withDaemon,
            properties: [.icon("mdi:cellphone"), .isDiagnostic]),
    ]

    /// The entities of a phone.
    static let ofPhone = [
        HomeAssistantEntity(
            component: "event", key: "notification", name: "Notification", source: .phone("event"),
            properties: [
                .icon("mdi:message-badge"),
                .eventTypes(MQTTNotificationEvent.allCases.map(\.rawValue)),
            ]),
        HomeAssistantEntity(
            component: "event", key: "call", name: "Call", source: .phone("call/event"),
            properties: [.icon("mdi:phone"), .eventTypes(MQTTCallEvent.allCases.map(\.rawValue))]),
        HomeAssistantEntity(
            component: "binary_sensor", key: "ringing", name: "Ringing",
            source: .phone(MQTTTopic.Part.ringing.rawValue),
            attributes: MQTTTopic.Part.currentCall.rawValue,
            properties: [.icon("mdi:phone-ring"), .payloads(on: "ON", off: "OFF")]),
        HomeAssistantEntity(
            component: "binary_sensor", key: "in_call", name: "In a call",
            source: .phone(MQTTTopic.Part.inCall.rawValue),
            properties: [.icon("mdi:phone-in-talk"), .payloads(on: "ON", off: "OFF")]),
        sensor(
            "active", "Active notifications", .counts, "total", "mdi:bell",
            attributes: MQTTTopic.Part.counts.rawValue, [.stateClass("measurement")]),
        sensor(
            "missed", "Missed calls", .counts, "missedCall", "mdi:phone-missed",
            [.stateClass("measurement")]),
        HomeAssistantEntity(
            component: "binary_sensor", key: "connected", name: "Connected",
            source: .phone(MQTTTopic.Part.session.rawValue),
            template:
                "{{ 'ON' if value_json.state == '\(PhoneStatus.State.subscribed.rawValue)' else 'OFF' }}",
            attributes: MQTTTopic.Part.session.rawValue, availability: .withDaemon,
            properties: [
                .deviceClass("connectivity"), .isDiagnostic, .payloads(on: "ON", off: "OFF"),
            ]),
        button("answer", "Answer call", #"{"call":"positive"}"#, "mdi:phone"),
        button("decline", "Decline call", #"{"call":"negative"}"#, "mdi:phone-hangup"),
        button(
            "clear", "Clear last notification", #"{"last":"negative"}"#,
            "mdi:notification-clear-all"),
        button("play_pause", "Play or pause", #"{"player":"playPause"}"#, "mdi:play-pause"),
        button("next", "Next track", #"{"player":"next"}"#, "mdi:skip-next"),
        button("previous", "Previous track", #"{"player":"previous"}"#, "mdi:skip-previous"),
        sensor("player", "Player", .player, "state", "mdi:play-circle"),
        sensor("player_app", "Player app", .player, "app", "mdi:apps"),
        sensor("title", "Title", .player, "title", "mdi:music"),
        sensor("artist", "Artist", .player, "artist", "mdi:account-music"),
        sensor("album", "Album", .player, "album", "mdi:album"),
    ]

    /// A sensor that shows a member of a topic.
    private static func sensor(
        _ key: String, _ name: String, _ topic: MQTTTopic.Part, _ member: String, _ icon: String,
        attributes: String? = nil, _ properties: [Property] = []
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: "sensor", key: key, name: name, source: .phone(topic.rawValue),
            template: "{{ value_json.\(member) }}", attributes: attributes,
            properties: [.icon(icon)] + properties)
    }

    private static func button(
        _ key: String, _ name: String, _ command: String, _ icon: String
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: "button", key: key, name: name, source: .command(command),
            properties: [.icon(icon)])
    }

    /// Whether it exists only if what is playing is published.
    var isOfPlayer: Bool {
        source == .phone(MQTTTopic.Part.player.rawValue)
            || ["play_pause", "next", "previous"].contains(key)
    }

    /// Whether it exists only if commands are enabled.
    var isCommand: Bool {
        switch source {
        case .command: true
        case .machine, .phone: false
        }
    }
}
