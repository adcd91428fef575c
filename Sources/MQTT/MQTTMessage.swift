/// A message of MQTT (3.1.1, section 3.3).
package struct MQTTMessage: Hashable, Sendable {
    /// Where it goes, or where it came from: 1 to 65,535 octets of UTF-8.
    package var topic: String
    /// What it says: at most 268,435,455 octets with the topic, as the protocol counts.
    package var payload: [UInt8]
    /// Of one that is sent, whether the broker keeps it for later subscribers; of one that came, whether it was
    /// kept, and not published just now.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
