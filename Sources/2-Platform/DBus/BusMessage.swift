internal import CSystemd
internal import Glibc

/// A message of sd-bus. It is released on the thread of its connection's loop.
final class BusMessage: @unchecked Sendable {
    // Unchecked: sd-bus counts references without a lock; see the type's comment.

    let pointer: OpaquePointer
    /// Whether descriptors were added here.
    var hasDescriptors = false

    /// Takes over a reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { sd_bus_message_unref(pointer) }

    enum Kind {
        case methodCall
        /// A reply to the call with this serial number.
        case methodReturn(to: UInt64)
        case methodError(to: UInt64)
        case signal
    }

    /// The kind of message; `nil` for unknown kinds, which have to be ignored.
    var kind: Kind? {
        var type: UInt8 = 0
        guard sd_bus_message_get_type(pointer, &type) >= 0 else { return nil }
        switch Int(type) {
        case SD_BUS_MESSAGE_METHOD_CALL: return .methodCall
        case SD_BUS_MESSAGE_METHOD_RETURN: return repliedTo.map { .methodReturn(to: $0) }
        case SD_BUS_MESSAGE_METHOD_ERROR: return repliedTo.map { .methodError(to: $0) }
        case SD_BUS_MESSAGE_SIGNAL: return .signal
        default: return nil
        }
    }

    private var repliedTo: UInt64? {
        var number: UInt64 = 0
        return sd_bus_message_get_reply_cookie(pointer, &number) >= 0 ? number : nil
    }

    /// The unique name of the sender; empty if there is none.
    var sender: String { Self.text(sd_bus_message_get_sender(pointer)) }
    var interface: String { Self.text(sd_bus_message_get_interface(pointer)) }
    var member: String { Self.text(sd_bus_message_get_member(pointer)) }

    /// The object path; `nil` if there is none.
    var path: ObjectPath? {
        sd_bus_message_get_path(pointer).flatMap { ObjectPath(String(cString: $0)) }
    }

    /// The header of a signal; `nil` if there is no path. `other` is one that may have come from the same object: it is
    /// used again, or its path is.
    func header(like other: BusSignalHeader?) -> BusSignalHeader? {
        guard let path = sd_bus_message_get_path(pointer) else { return nil }
        let known = other.flatMap { Self.is($0.signal.path.text, path) ? $0.signal.path : nil }
        if let other, known != nil, isSignal(like: other.signal) { return other }
        return (known ?? ObjectPath(String(cString: path))).map {
            BusSignalHeader(BusSignal(from: sender, $0, interface, member))
        }
    }

    private func isSignal(like other: BusSignal) -> Bool {
        Self.is(other.sender, sd_bus_message_get_sender(pointer))
            && Self.is(other.interface, sd_bus_message_get_interface(pointer))
            && Self.is(other.member, sd_bus_message_get_member(pointer))
    }

    private static func `is`(_ text: String, _ other: UnsafePointer<CChar>?) -> Bool {
        guard let other else { return false }
        return text.withCString { strcmp($0, other) == 0 }
    }

    /// The error in a reply.
    var error: BusError {
        guard let error = sd_bus_message_get_error(pointer)?.pointee else {
            return BusError(BusError.failed)
        }
        return BusError(Self.text(error.name), Self.text(error.message))
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        text.map(String.init(cString:)) ?? ""
    }
}

/// A signal without its arguments. A class, because signal after signal has the same.
final class BusSignalHeader {
    let signal: BusSignal

    init(_ signal: BusSignal) { self.signal = signal }
}

/// Messages to send.
extension BusMessage {
    /// A method call.
    convenience init(_ call: BusCall, on bus: OpaquePointer) throws(BusError) {
        do throws(BusError) {
            // sd-bus checks the names.
            try self.init("create a call") { message in
                withNames(call.destination, call.path.text, call.interface, call.member) {
                    sd_bus_message_new_method_call(bus, message, $0, $1, $2, $3)
                }
            }
        } catch {
            try Self.check(
                call.destination, sd_bus_service_name_is_valid, "is not a valid bus name")
            try Self.check(
                call.interface, sd_bus_interface_name_is_valid, "is not a valid interface name")
            try Self.check(call.member, sd_bus_member_name_is_valid, "is not a valid method name")
            throw error
        }
        sd_bus_message_set_auto_start(pointer, call.startsProgram ? 1 : 0)
        try append(call.arguments)
    }

    /// A signal, to all subscribers or to one program.
    convenience init(
        _ signal: BusSignal, to destination: String?, on bus: OpaquePointer
    ) throws(BusError) {
        try Self.check(
            signal.interface, sd_bus_interface_name_is_valid, "is not a valid interface name")
        try Self.check(signal.member, sd_bus_member_name_is_valid, "is not a valid signal name")
        try self.init("create a signal") {
            sd_bus_message_new_signal(bus, $0, signal.path.text, signal.interface, signal.member)
        }
        if let destination {
            try Self.check(destination, sd_bus_service_name_is_valid, "is not a valid bus name")
            sd_bus_message_set_destination(pointer, destination)
        }
        try append(signal.arguments)
    }

    /// A successful reply.
    convenience init(answering call: BusMessage, with values: [BusValue]) throws(BusError) {
        try self.init("create a reply") { sd_bus_message_new_method_return(call.pointer, $0) }
        try append(values)
    }

    /// An error reply.
    convenience init(answering call: BusMessage, with error: BusError) throws(BusError) {
        try Self.check(error.name, sd_bus_interface_name_is_valid, "is not a valid error name")
        try self.init("create a reply") { message in
            error.name.withCString { name in
                error.message.withCString { text in
                    var error = sd_bus_error(name: name, message: text, _need_free: 0)
                    return sd_bus_message_new_method_error(call.pointer, message, &error)
                }
            }
        }
    }

    private convenience init(
        _ attempt: String, _ make: (UnsafeMutablePointer<OpaquePointer?>) -> CInt
    ) throws(BusError) {
        var pointer: OpaquePointer?
        let result = make(&pointer)
        guard result >= 0, let pointer else { throw BusError(attempt, result: result) }
        self.init(owning: pointer)
    }

    private static func check(
        _ name: String, _ isValid: (UnsafePointer<CChar>?) -> CInt, _ fault: String
    ) throws(BusError) {
        guard isValid(name) > 0, !name.utf8.contains(0) else {
            throw BusError(BusError.invalidArguments, "'\(name)' \(fault)")
        }
    }
}

/// Calls `body` with names as C has them, or returns `-EINVAL` for one that contains NUL, which would be cut.
private func withNames(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ body: (_ destination: CName, _ path: CName, _ interface: CName, _ member: CName) -> CInt
) -> CInt {
    withName(destination) { destination in
        withName(path) { path in
            withName(interface) { interface in
                withName(member) { body(destination, path, interface, $0) }
            }
        }
    }
}

private typealias CName = UnsafePointer<CChar>

// Not inlined: four of them within one another, each with the code for three kinds of strings, were a seventh of
// the module.
@inline(never) private func withName(_ name: String, _ body: (CName) -> CInt) -> CInt {
    name.withCString { strlen($0) == name.utf8.count ? body($0) : -EINVAL }
}

extension BusError {
    /// The error for a result of sd-bus, which is a negative error number.
    init(_ attempt: String, result: CInt) {
        let text = "cannot \(attempt): " + String(cString: strerror(-result))
        switch -result {
        case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: self.init(Self.disconnected, text)
        case ENOBUFS, EMSGSIZE, E2BIG, EMFILE, ENFILE, ENOMEM: self.init(Self.limitsExceeded, text)
        default: self.init(Self.failed, text)
        }
    }
}
