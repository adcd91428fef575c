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

/// Reads the arguments of a message in one pass, by its signature.
private struct Reading {
    let pointer: OpaquePointer
    var limits = BusMessage.ReadingLimits()

    /// The values in the message, or in the structure that was entered.
    mutating func values(depth: Int) throws(BusError) -> [BusValue] {
        var types = try signature()
        var values: [BusValue] = []
        // Most types have one octet, and there are 255 at most.
        values.reserveCapacity(strlen(types))
        while types.pointee != 0 {
            values.append(try value(types, depth: depth))
            types = Self.end(ofTypeAt: types)
        }
        return values
    }

    /// The types in the container that was entered, or in the message. sd-bus keeps the text until that is left.
    private func signature() throws(BusError) -> UnsafePointer<CChar> {
        guard let types = sd_bus_message_get_signature(pointer, 0) else {
            throw unreadable("it has no signature")
        }
        return types
    }

    /// The end of the first complete type in a signature, which sd-bus has found to be valid.
    private static func end(ofTypeAt start: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
        var place = start
        var depth = 0
        while place.pointee != 0 {
            switch UInt8(bitPattern: place.pointee) {
            case UInt8(ascii: "a"):
                place += 1
                continue
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            case _: break
            }
            place += 1
            if depth == 0 { break }
        }
        return place
    }

    /// The next value, whose type is the first one of a signature.
    private mutating func value(
        _ types: UnsafePointer<CChar>, depth: Int
    ) throws(BusError) -> BusValue {
        limits.values -= 1
        guard limits.values >= 0 else { throw tooLarge }
        let type = types.pointee
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
        case SD_BUS_TYPE_ARRAY where Int(types[1]) == SD_BUS_TYPE_BYTE:
            try checkDepth(depth + 1)
            return .octets(try octets())
        case SD_BUS_TYPE_ARRAY, SD_BUS_TYPE_STRUCT_BEGIN, SD_BUS_TYPE_VARIANT:
            return try container(depth: depth + 1)
        default: throw unreadable("it has a value of an unknown type")
        }
    }

    private mutating func container(depth: Int) throws(BusError) -> BusValue {
        try checkDepth(depth)
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        try check(sd_bus_message_peek_type(pointer, &type, &contents))
        // The text is gone with the next read, and sd-bus copies it first.
        try check(sd_bus_message_enter_container(pointer, type, contents))
        let types = try signature()
        let value: BusValue
        switch Int(type) {
        case SD_BUS_TYPE_VARIANT: value = .variant(try self.value(types, depth: depth))
        case SD_BUS_TYPE_STRUCT: value = .structure(try values(depth: depth))
        default:
            value =
                types.pointee == CChar(SD_BUS_TYPE_DICT_ENTRY_BEGIN)
                ? try dictionary(types, depth: depth) : try array(types, depth: depth)
        }
        try check(sd_bus_message_exit_container(pointer))
        return value
    }

    private mutating func array(
        _ types: UnsafePointer<CChar>, depth: Int
    ) throws(BusError) -> BusValue {
        var elements: [BusValue] = []
        while try check(sd_bus_message_at_end(pointer, 0)) == 0 {
            elements.append(try value(types, depth: depth))
        }
        return .array(elements, of: String(cString: types))
    }

    /// The entries of a dictionary, of the type `{…}`. The last one of equal keys counts.
    private mutating func dictionary(
        _ types: UnsafePointer<CChar>, depth: Int
    ) throws(BusError) -> BusValue {
        let count = strlen(types) - 2
        let contents = Self.text(types + 1, count)
        var entries: [BusValue: BusValue] = [:]
        while try check(
            contents.withCString {
                sd_bus_message_enter_container(pointer, CChar(SD_BUS_TYPE_DICT_ENTRY), $0)
            }) > 0
        {
            // Keys have basic types, whose signature is one octet.
            let key = try value(types + 1, depth: depth)
            entries[key] = try value(types + 2, depth: depth)
            try check(sd_bus_message_exit_container(pointer))
        }
        return .dictionary(
            entries, key: Self.text(types + 1, 1), value: Self.text(types + 2, count - 1))
    }

    private static func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
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
        guard copy >= 0 else { throw BusError("duplicate a received descriptor", result: -errno) }
        return BusDescriptor(owning: copy)
    }

    private func checkDepth(_ depth: Int) throws(BusError) {
        guard depth > BusMessage.ReadingLimits.depth else { return }
        throw BusError(
            BusError.limitsExceeded,
            "a message has more than \(BusMessage.ReadingLimits.depth) nested containers")
    }

    private mutating func take(_ octets: Int) throws(BusError) {
        limits.octets -= octets
        guard limits.octets >= 0 else { throw tooLarge }
    }

    @discardableResult private func check(_ result: CInt) throws(BusError) -> CInt {
        guard result < 0 else { return result }
        throw unreadable(String(cString: strerror(-result)))
    }

    private func unreadable(_ reason: String) -> BusError {
        BusError(BusError.inconsistentMessage, "a message cannot be read: \(reason)")
    }

    private var tooLarge: BusError { BusError(BusError.limitsExceeded, "a message is too large") }
}
