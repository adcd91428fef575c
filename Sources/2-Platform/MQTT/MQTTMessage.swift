/// A message of MQTT (3.1.1, section 3.3).
package struct MQTTMessage: Equatable, Sendable {
    /// The topic: 1 to 65,535 octets of UTF-8.
    package var topic: String
    /// The payload: at most 268,435,455 octets together with the topic, as the protocol counts.
    package var payload: [UInt8]
    /// For a message to send, whether the broker keeps it for later subscribers; for a received one, whether
    /// the broker had kept it.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
}
