/// A broker, and how to introduce oneself there.
package struct MQTTBroker: Hashable, Sendable {
    /// How its certificate is checked, and what it gets to see.
    package struct Security: Hashable, Sendable {
        /// The file of the certificates that it may descend from, in PEM; `nil` for those of the system.
        package var authorities: String?
        /// The file of the client's own certificate, in PEM.
        package var certificate: String?
        /// The file of the key of ``certificate``, in PEM and without a passphrase.
        package var key: String?

        package init(
            authorities: String? = nil, certificate: String? = nil, key: String? = nil
        ) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    /// A name or an address. The certificate has to be for it.
    package var host: String
    package var port: UInt16
    /// `nil` for a connection without TLS.
    package var security: Security?
    /// What names this client at the broker. Another one with the same name ends this one's connection.
    package var clientID: String
    package var username: String?
    package var password: String?
    /// What the broker publishes when the connection is lost.
    package var will: MQTTMessage?

    package init(host: String, port: UInt16, clientID: String, security: Security? = nil) {
        self.host = host
        self.port = port
        self.clientID = clientID
        self.security = security
    }

    /// The broker in a sentence: `localhost:1883`.
    package var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
