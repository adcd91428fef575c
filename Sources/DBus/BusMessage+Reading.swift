internal import CSystemd
internal import Glibc

extension BusMessage {
    /// Limits for reading one message. D-Bus allows 128 MiB, which would take many times that memory here.
    struct ReadingLimits {
        /// The number of values, including those in containers.
        var values = 262_144
        /// The total length of texts and arrays of octets.
        var octets = 4 * 1_048_576
        /// The nesting depth of containers; D-Bus allows twice as much.
        static let depth = 32
    }

    /// The arguments, in order.
    func arguments() throws(BusError) -> [BusValue] {
        var reading = Reading(pointer: pointer)
        return try reading.values(depth: 0)
    }
}

/// Reads the arguments of a message in one pass.
private struct Reading {
    let pointer: OpaquePointer
    var limits = BusMessage.ReadingLimits()

    /// The remaining values of the current container.
    mutating func values(depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try value(depth: depth) { values.append(value) }
        return values
    }

    /// The next value; `nil` at the end of its container.
    private mutating func value(depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(sd_bus_message_peek_type(pointer, &type, &contents)) > 0 else { return nil }
        limits.values -= 1
        guard limits.values >= 0 else { throw tooLarge }
        switch Int(type) {
        case SD_BUS_TYPE_BYTE: return .byte(try number(0, type))
        case SD_BUS_TYPE_BOOLEAN: return .bool(try number(CInt(0), type) != 0)
        case SD_BUS_TYPE_INT16: return .int16(try number(0, type))
        case SD_BUS_TYPE_UINT16: return .uint16(try number(0, type))
        case SD_BUS_TYPE_INT32: return .int32(try number(0, type))
        case SD_BUS_TYPE_UINT32: return .uint32(try number(0, type))
        case SD_BUS_TYPE_INT64: return .int64(try number(0, type))
        case SD_BUS_TYPE_UINT64: return .uint64(try number(0, type))
        case SD_BUS_TYPE_DOUBLE: return .double(try number(0, type))
        case SD_BUS_TYPE_STRING: return .string(try text(type))
        case SD_BUS_TYPE_SIGNATURE: return .signature(try text(type))
        case SD_BUS_TYPE_OBJECT_PATH:
            let text = try text(type)
            guard let path = ObjectPath(text) else {
                throw unreadable("'\(text)' is not an object path")
            }
            return .objectPath(path)
        case SD_BUS_TYPE_UNIX_FD: return .descriptor(try descriptor(type))
        case SD_BUS_TYPE_ARRAY, SD_BUS_TYPE_STRUCT, SD_BUS_TYPE_VARIANT:
            // The text belongs to sd-bus, which invalidates it at the next read.
            let contents = contents.map(String.init(cString:)) ?? ""
            return try container(type, contents, depth: depth + 1)
        default: throw unreadable("it has a value of an unknown type")
        }
    }

    private mutating func container(
        _ type: CChar, _ contents: String, depth: Int
    ) throws(BusError) -> BusValue {
        guard depth <= BusMessage.ReadingLimits.depth else {
            throw BusError(
                BusError.limitsExceeded,
                "a message has more than \(BusMessage.ReadingLimits.depth) nested containers"
            )
        }
        if Int(type) == SD_BUS_TYPE_ARRAY, contents == "y" { return .octets(try octets()) }
        try check(sd_bus_message_enter_container(pointer, type, contents))
        let value: BusValue
        switch Int(type) {
        case SD_BUS_TYPE_VARIANT:
            guard let inner = try self.value(depth: depth) else {
                throw unreadable("a variant is empty")
            }
            value = .variant(inner)
        case SD_BUS_TYPE_STRUCT: value = .structure(try values(depth: depth))
        default:
            value =
                contents.utf8.first == UInt8(ascii: "{")
                ? try dictionary(contents, depth: depth)
                : .array(try values(depth: depth), of: contents)
        }
        try check(sd_bus_message_exit_container(pointer))
        return value
    }

    /// The entries of a dictionary. The last one of equal keys counts.
    private mutating func dictionary(_ type: String, depth: Int) throws(BusError) -> BusValue {
        let contents = String(type.dropFirst().dropLast())
        var entries: [BusValue: BusValue] = [:]
        while try check(
            sd_bus_message_enter_container(pointer, CChar(SD_BUS_TYPE_DICT_ENTRY), contents)) > 0
        {
            guard let key = try value(depth: depth), let value = try value(depth: depth) else {
                throw unreadable("a dictionary entry is incomplete")
            }
            entries[key] = value
            try check(sd_bus_message_exit_container(pointer))
        }
        // Keys have basic types, whose signature is one octet.
        return .dictionary(
            entries, key: String(contents.prefix(1)), value: String(contents.dropFirst()))
    }

    private func number<Number>(_ initial: Number, _ type: CChar) throws(BusError) -> Number {
        var number = initial
        try check(
            withUnsafeMutablePointer(to: &number) { sd_bus_message_read_basic(pointer, type, $0) })
        return number
    }

    private mutating func text(_ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(sd_bus_message_read_basic(pointer, type, &text))
        guard let text else { throw unreadable("a string is missing") }
        try take(strlen(text))
        return String(cString: text)
    }

    private mutating func octets() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try check(sd_bus_message_read_array(pointer, CChar(SD_BUS_TYPE_BYTE), &start, &count))
        try take(count)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A duplicate, because the message closes its own descriptor.
    private func descriptor(_ type: CChar) throws(BusError) -> BusDescriptor {
        let copy = fcntl(try number(CInt(-1), type), F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw BusError("duplicate a received descriptor", result: -errno)
        }
        return BusDescriptor(owning: copy)
    }

    private mutating func take(_ octets: Int) throws(BusError) {
        limits.octets -= octets
        guard limits.octets >= 0 else { throw tooLarge }
    }

    @discardableResult
    private func check(_ result: CInt) throws(BusError) -> CInt {
        guard result < 0 else { return result }
        throw unreadable(String(cString: strerror(-result)))
    }

    private func unreadable(_ reason: String) -> BusError {
        BusError(BusError.inconsistentMessage, "a message cannot be read: \(reason)")
    }

    private var tooLarge: BusError {
        BusError(BusError.limitsExceeded, "a message is too large")
    }
}
