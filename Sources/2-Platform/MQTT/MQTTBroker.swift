/// A broker, and the credentials for it.
package struct MQTTBroker: Equatable, Sendable {
    /// How its certificate is verified, and the client's own certificate.
    package struct Security: Equatable, Sendable {
        /// The file of the trusted certificates, in PEM; `nil` for those of the system.
        package var authorities: String?
        /// The file of the client's own certificate, in PEM.
        package var certificate: String?
        /// The file of the key for ``certificate``, in PEM and without a passphrase.
        package var key: String?

        package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        }
    }

    /// A host name or an address, which the certificate has to match.
    package var host: String
    package var port: UInt16
    /// `nil` for a connection without TLS.
    package var security: Security?
    /// The identifier of this client. Another client with the same identifier ends this connection.
    package var clientID: String
    package var username: String?
    package var password: String?
    /// The message that the broker publishes when the connection is lost.
    package var will: MQTTMessage?

    package init(host: String, port: UInt16, clientID: String, security: Security? = nil) {
        (self.host, self.port, self.clientID, self.security) = (host, port, clientID, security)
    }

    /// The broker in messages: `localhost:1883`.
    package var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
