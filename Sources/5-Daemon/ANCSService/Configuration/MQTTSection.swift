extension ServiceConfiguration {
    /// `[mqtt]`
    package struct MQTTSection: Equatable, Sendable {
        /// Whether the connection uses TLS.
        package enum TLS: Equatable, Sendable {
            /// TLS, unless the broker is on this machine.
            case auto
            case on
            case off
        }

        /// The broker; empty for none.
        package var host = ""
        /// Its port; 0 for the default port of MQTT with or without TLS.
        package var port = 0
        package var tls = TLS.auto
        /// The files of certificates and of the key, and of the password; empty for none.
        package var authorities = ""
        package var certificate = ""
        package var key = ""
        package var username = ""
        package var passwordFile = ""
        /// How much of a notification is published.
        package var content = RecordContent.app
        /// Whether to accept commands from the broker.
        package var commands = false
        /// Whether what is playing on the phones is published.
        package var media = false
        /// The name of this machine in topics; empty for its host name.
        package var name = ""
        /// The prefix of Home Assistant's discovery topics; empty for no discovery.
        package var discovery = "homeassistant"

        /// Whether the connection uses TLS.
        package var isSecure: Bool {
            switch tls {
            case .on: true
            case .off: false
            case .auto: !isLoopback
            }
        }

        /// The port to use. IANA: mqtt 1883, secure-mqtt 8883.
        package var usedPort: UInt16 {
            port == 0 ? (isSecure ? 8883 : 1883) : UInt16(truncatingIfNeeded: port)
        }

        /// Whether the broker is on this machine.
        private var isLoopback: Bool {
            ["localhost", "ip6-localhost", "::1"].contains(host.lowercased())
                || host.hasPrefix("127.")
                    && host.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
        }
    }
}
