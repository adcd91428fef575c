internal import CMosquitto
internal import Glibc

/// Why a connection to a broker could not be established, or why it ended.
package struct MQTTFailure: Error, Equatable, Sendable {
    package enum Code: Hashable, Sendable {
        /// A file, a name or a number of the ``MQTTBroker`` is invalid.
        case invalidSettings
        /// The host name does not exist.
        case unknownHost
        /// No broker listens there, or the network does not reach it.
        case unreachable
        /// There was no answer in time.
        case noAnswer
        /// The certificates do not match, or the peer does not use TLS.
        case insecure
        /// The broker refused the client.
        case refused
        /// The connection ended.
        case lost
        /// The broker violated the protocol, or sent too much.
        case misbehaved
    }

    package var code: Code
    /// What happened and what to do, for people, without a full stop.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension MQTTFailure {
    /// The TCP connection could not be established.
    ///
    /// - Parameters:
    ///   - result: The result of `mosquitto_connect`.
    ///   - errno: The error of the system, or of getaddrinfo(3) with `MOSQ_ERR_EAI`.
    ///   - log: The last error message of libmosquitto.
    ///   - broker: The broker.
    init(connecting result: mosq_err_t, errno: CInt, log: String?, to broker: MQTTBroker) {
        switch result {
        case MOSQ_ERR_EAI:
            let reason = gai_strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
            self.init(
                .unknownHost,
                "the host \(broker.host) of the broker cannot be found: \(reason); see 'host' in "
                    + "[mqtt]")
        // OpenSSL's EPROTO: the connection was established, and ended when the broker had seen the
        // certificate.
        case MOSQ_ERR_ERRNO where errno == EPROTO: self.init(insecure: log, at: broker)
        case MOSQ_ERR_ERRNO:
            let reason = String(cString: strerror(errno))
            self.init(.unreachable, "cannot connect to the broker at \(broker.place): \(reason)")
        case MOSQ_ERR_TLS: self.init(insecure: log, at: broker)
        case _:
            self.init(
                .unreachable,
                "cannot connect to the broker at \(broker.place): \(Self.text(of: result))")
        }
    }

    /// An established connection ended. `errno` is the error of the system with `MOSQ_ERR_ERRNO`.
    init(losing result: mosq_err_t, errno: CInt, to broker: MQTTBroker) {
        let place = broker.place
        switch result {
        case MOSQ_ERR_KEEPALIVE: self.init(.noAnswer, "the broker at \(place) no longer answers")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8:
            self.init(.misbehaved, "the broker at \(place) does not send valid MQTT")
        // libmosquitto reports EPROTO for the end of a stream without the end of TLS.
        case MOSQ_ERR_ERRNO where ![EPROTO, EPIPE, ECONNRESET].contains(errno):
            let reason = String(cString: strerror(errno))
            self.init(.lost, "the connection to the broker at \(place) was lost: \(reason)")
        case MOSQ_ERR_ERRNO, MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN, MOSQ_ERR_TLS:
            self.init(.lost, "the broker at \(place) has closed the connection")
        case _:
            self.init(
                .lost, "the connection to the broker at \(place) was lost: \(Self.text(of: result))"
            )
        }
    }

    private static func text(of result: mosq_err_t) -> String {
        mosquitto_strerror(result.code).map { String(cString: $0) } ?? "unknown reason"
    }

    /// TLS failed, or the connection ended before the broker answered: with TLS 1.3, it may refuse a client's
    /// certificate only then.
    init(insecure log: String?, at broker: MQTTBroker) {
        let reason = log ?? "it has closed the connection"
        self.init(
            .insecure,
            "no secure connection to the broker at \(broker.place): \(reason); its certificate must be for "
                + "\(broker.host), signed by 'ca-file' in [mqtt] or an authority of the system, and the "
                + "broker may require yours, 'certificate-file'")
    }

    /// The broker answered CONNECT with this return code (3.1.1, section 3.2.2.3).
    init(refusal code: CInt, by broker: MQTTBroker) {
        let reason =
            switch code {
            case 1: "it does not support MQTT 3.1.1"
            case 2: "it does not accept the client identifier \(broker.clientID)"
            case 3: "it is not available at present"
            case 4:
                "the user name or the password is wrong; see 'username' and 'password-file' in [mqtt]"
            case 5:
                "this user may not connect, or the password is wrong; see 'username' and 'password-file' in [mqtt]"
            case _: "reason code \(code)"
            }
        self.init(.refused, "the broker at \(broker.place) refuses the connection: \(reason)")
    }
}
