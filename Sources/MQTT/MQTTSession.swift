internal import CMosquitto
internal import Glibc

/// One `mosquitto` of libmosquitto: a connection, from its settings to its end.
///
/// It belongs to one thread at a time: to the one that connects, then to the loop's. What its callbacks say is
/// gathered, so that no code of an owner ever runs inside of libmosquitto.
final class MQTTSession: @unchecked Sendable {
    // Unchecked: handed from thread to thread by queues, see the type's comment.

    /// What a callback said.
    enum Happening {
        case answered(CInt)
        case acknowledged
        case message(MQTTMessage)
    }

    /// More than this in one call is a flood: over TLS libmosquitto reads for as long as there is something.
    private static let messagesOfTurn = 4096
    /// How long nothing has to be sent before the broker is asked whether it lives, in seconds. It says so in
    /// half as much again that this client is gone (3.1.1, section 3.1.2.10).
    static let keepAlive: CInt = 30

    let broker: MQTTBroker
    let handle: OpaquePointer
    private(set) var happenings: [Happening] = []
    /// What libmosquitto said last of an error, such as "certificate verify failed".
    private(set) var log: String?

    /// Prepares a connection. The error says which file or name cannot be used.
    init(_ broker: MQTTBroker) throws(MQTTFailure) {
        _ = Self.isLibraryReady
        guard let handle = mosquitto_new(broker.clientID, true, nil) else {
            throw MQTTFailure(
                .invalidSettings, "'\(broker.clientID)' is no name for a client of a broker")
        }
        self.broker = broker
        self.handle = handle
        setCallbacks()
        try introduce()
        try secure()
    }

    deinit { mosquitto_destroy(handle) }

    private static let isLibraryReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    /// What happened since this was asked last.
    func takeHappenings() -> [Happening] {
        defer { happenings = [] }
        return happenings
    }

    // MARK: Settings

    private func introduce() throws(MQTTFailure) {
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311)
        // Small messages that somebody waits for.
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

    /// Where Debian and most others have the certificates of the system; libmosquitto takes a place beside a
    /// certificate of the client only.
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
        let payload = UnsafeRawBufferPointer(
            start: message.payload, count: Int(message.payloadlen))
        happenings.append(
            .message(
                MQTTMessage(
                    topic: message.topic.map { String(cString: $0) } ?? "",
                    payload: Array(payload), isRetained: message.retain)))
        guard happenings.count > Self.messagesOfTurn else { return }
        // The only way to end that call: the next read finds the end of the stream.
        shutdown(mosquitto_socket(handle), CInt(SHUT_RDWR))
    }

    /// "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed" ends with what matters.
    private func keep(_ text: String) {
        let words = text.split(separator: ":").last.map { $0.drop { $0 == " " } }
        guard let words, !words.isEmpty, words.utf8.count <= 200 else { return }
        log = String(words)
    }
}

extension mosq_err_t {
    /// As functions of libmosquitto return it.
    var code: CInt { CInt(rawValue) }
}
