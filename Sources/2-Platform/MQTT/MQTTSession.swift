internal import CMosquitto
internal import Glibc

/// One `mosquitto` of libmosquitto: a connection, from its settings to its end.
///
/// It belongs to one thread at a time: the one that connects, then the loop's. Its callbacks only record what
/// happened, so that no code of an owner runs inside libmosquitto.
final class MQTTSession: @unchecked Sendable {
    // Unchecked: handed from thread to thread by queues, see the type's comment.

    /// A recorded callback.
    enum Happening {
        case answered(CInt)
        case acknowledged
        case message(MQTTMessage)
    }

    /// The limit of messages in one call, because libmosquitto reads TLS for as long as there is input.
    private static let messagesOfTurn = 4096
    /// The keep-alive interval in seconds. After one and a half of it without a packet, the broker treats
    /// this client as gone (3.1.1, section 3.1.2.10).
    static let keepAlive: CInt = 30

    let broker: MQTTBroker
    let handle: OpaquePointer
    private(set) var happenings: [Happening] = []
    /// The last error message of libmosquitto, such as "certificate verify failed".
    private(set) var log: String?

    /// Prepares a connection. Throws if a file or name is invalid.
    init(_ broker: MQTTBroker) throws(MQTTFailure) {
        _ = Self.isLibraryReady
        guard let handle = mosquitto_new(broker.clientID, true, nil) else {
            throw MQTTFailure(
                .invalidSettings, "'\(broker.clientID)' is not a valid client identifier")
        }
        self.broker = broker
        self.handle = handle
        setCallbacks()
        try introduce()
        try secure()
    }

    deinit { mosquitto_destroy(handle) }

    private static let isLibraryReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    /// Takes what was recorded since the last call.
    func takeHappenings() -> [Happening] {
        defer { happenings = [] }
        return happenings
    }

    // MARK: Settings

    private func introduce() throws(MQTTFailure) {
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311)
        // Small messages must not be delayed.
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        if let username = broker.username {
            let result = mosquitto_username_pw_set(handle, username, broker.password)
            try check(result, "the user name of the broker cannot be used")
        }
        if let will = broker.will {
            let result = mosquitto_will_set(
                handle, will.topic, CInt(will.payload.count), will.payload, 1, will.isRetained)
            try check(result, "the topic \(will.topic) cannot be used")
        }
    }

    private func secure() throws(MQTTFailure) {
        guard let security = broker.security else { return }
        if let authorities = security.authorities {
            let result = mosquitto_tls_set(
                handle, authorities, nil, security.certificate, security.key, Self.noPassphrase)
            try check(
                result,
                "the certificates for the broker cannot be used; see 'ca-file', 'certificate-file' and "
                    + "'key-file' in [mqtt]")
            return
        }
        if security.certificate != nil {
            let result = mosquitto_tls_set(
                handle, nil, Self.systemAuthorities, security.certificate, security.key,
                Self.noPassphrase)
            try check(
                result,
                "the certificate for the broker cannot be used; see 'certificate-file' and 'key-file' in "
                    + "[mqtt]")
        } else {
            mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
        }
    }

    /// Where Debian and most other systems have their certificates; libmosquitto needs a path if the client
    /// has a certificate.
    private static let systemAuthorities = "/etc/ssl/certs"

    /// OpenSSL would ask on the terminal.
    private static let noPassphrase:
        @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt =
            { _, _, _, _ in 0 }

    private func check(_ result: CInt, _ complaint: String) throws(MQTTFailure) {
        guard result != MOSQ_ERR_SUCCESS.code else { return }
        throw MQTTFailure(.invalidSettings, complaint)
    }

    // MARK: Callbacks

    private func setCallbacks() {
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_callback_set(handle) { _, owner, code in
            MQTTSession.of(owner)?.happenings.append(.answered(code))
        }
        mosquitto_publish_callback_set(handle) { _, owner, _ in
            MQTTSession.of(owner)?.happenings.append(.acknowledged)
        }
        mosquitto_message_callback_set(handle) { _, owner, message in
            guard let message else { return }
            MQTTSession.of(owner)?.receive(message.pointee)
        }
        mosquitto_log_callback_set(handle) { _, owner, level, text in
            guard level & (MOSQ_LOG_ERR | MOSQ_LOG_WARNING) != 0, let text else { return }
            MQTTSession.of(owner)?.keep(String(cString: text))
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> MQTTSession? {
        owner.map { Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receive(_ message: mosquitto_message) {
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        happenings.append(
            .message(
                MQTTMessage(
                    topic: message.topic.map { String(cString: $0) } ?? "",
                    payload: Array(payload), isRetained: message.retain)))
        guard happenings.count > Self.messagesOfTurn else { return }
        // The only way to end that call: the next read finds the end of the stream.
        shutdown(mosquitto_socket(handle), CInt(SHUT_RDWR))
    }

    /// "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed" ends with the relevant
    /// part.
    private func keep(_ text: String) {
        let words = text.split(separator: ":").last.map { $0.drop { $0 == " " } }
        guard let words, !words.isEmpty, words.utf8.count <= 200 else { return }
        log = String(words)
    }
}

extension mosq_err_t {
    /// The type that functions of libmosquitto return.
    var code: CInt { CInt(rawValue) }
}
