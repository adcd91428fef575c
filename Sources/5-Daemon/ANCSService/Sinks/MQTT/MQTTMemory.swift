internal import JSONText

/// What a broker has retained for this machine, so that it can be withdrawn in a later run, under another
/// name, or when the broker is available again.
struct MQTTMemory: Equatable, Sendable {
    /// As many phones as the daemon knows; the limit of leftovers has room for the topics of twice as many.
    static let phoneLimit = 64
    static let leftoverLimit = 3200

    /// ``MQTTSetting/host`` and ``MQTTSetting/discovery`` when this was stored.
    var host: String
    var discovery: String
    /// In the order in which they were first seen.
    var phones: [PhoneName] = []
    /// Topics whose values have to be withdrawn.
    var leftovers: [String] = []

    init(_ setting: MQTTSetting) {
        host = setting.host
        discovery = setting.discovery
    }

    /// The memory under other settings: values whose topics differ there become leftovers.
    func moved(to setting: MQTTSetting) -> MQTTMemory {
        guard host != setting.host || discovery != setting.discovery else { return self }
        var former = setting
        (former.host, former.discovery) = (host, discovery)
        var moved = self
        (moved.host, moved.discovery) = (setting.host, setting.discovery)
        let current = Set(Self.topics(phones, setting))
        moved.leave(Self.topics(phones, former).filter { !current.contains($0) })
        moved.leftovers.removeAll(where: current.contains)
        return moved
    }

    /// Adds topics to be withdrawn.
    mutating func leave(_ topics: [String]) {
        let known = Set(leftovers)
        leftovers = Array(
            (leftovers + topics.filter { !known.contains($0) }).suffix(Self.leftoverLimit))
    }

    private static func topics(_ phones: [PhoneName], _ setting: MQTTSetting) -> [String] {
        let all =
            MQTTTopic.ofMachine(setting) + phones.flatMap { MQTTTopic.ofPhone($0.digest, setting) }
        return all.map { $0.text(setting) }
    }
}

extension MQTTMemory {
    var json: JSONValue {
        [
            "host": .string(host), "discovery": .string(discovery),
            "phones": .array(
                phones.map { phone in
                    [
                        "digest": .string(phone.digest),
                        "name": phone.name.map { .string($0) } ?? .null,
                    ]
                }),
            "leftovers": .array(leftovers.map { .string($0) }),
        ]
    }

    /// What ``json`` wrote; `nil` for anything else.
    init?(json: JSONValue) {
        guard let host = json["host"]?.string, let discovery = json["discovery"]?.string,
            let phones = json["phones"]?.array, let leftovers = json["leftovers"]?.array
        else { return nil }
        self.host = host
        self.discovery = discovery
        self.phones = phones.prefix(Self.phoneLimit).compactMap { phone in
            guard let digest = phone["digest"]?.string, !digest.isEmpty,
                digest.utf8.allSatisfy(\.isFitForTopic)
            else { return nil }
            return PhoneName(digest: digest, name: phone["name"]?.string)
        }
        self.leftovers = leftovers.prefix(Self.leftoverLimit).compactMap(\.string)
    }
}
