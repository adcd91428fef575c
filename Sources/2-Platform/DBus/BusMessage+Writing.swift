internal import CSystemd
internal import Glibc
internal import LinuxIO

extension BusMessage {
    /// The nesting limit of containers: the bus disconnects a program that exceeds it. D-Bus specification,
    /// *Message Protocol*.
    static let depthLimit = 64

    /// Appends arguments. Throws if a value does not fit its type, or violates D-Bus.
    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try append(value, depth: 0) }
    }

    private func append(_ value: BusValue, depth: Int) throws(BusError) {
        guard depth <= Self.depthLimit else {
            throw BusError(
                BusError.invalidArguments,
                "more than \(Self.depthLimit) nested containers cannot be sent")
        }
        switch value {
        case .byte(let number): try append(number, SD_BUS_TYPE_BYTE)
        // sd-bus takes a C int here, which is four octets on the wire.
        case .bool(let bool): try append(CInt(bool ? 1 : 0), SD_BUS_TYPE_BOOLEAN)
        case .int16(let number): try append(number, SD_BUS_TYPE_INT16)
        case .uint16(let number): try append(number, SD_BUS_TYPE_UINT16)
        case .int32(let number): try append(number, SD_BUS_TYPE_INT32)
        case .uint32(let number): try append(number, SD_BUS_TYPE_UINT32)
        case .int64(let number): try append(number, SD_BUS_TYPE_INT64)
        case .uint64(let number): try append(number, SD_BUS_TYPE_UINT64)
        case .double(let number): try append(number, SD_BUS_TYPE_DOUBLE)
        case .string(let text): try append(text, SD_BUS_TYPE_STRING)
        case .objectPath(let path): try append(path.text, SD_BUS_TYPE_OBJECT_PATH)
        case .signature(let text): try append(text, SD_BUS_TYPE_SIGNATURE)
        case .descriptor(let descriptor):
            hasDescriptors = true
            // sd-bus duplicates it.
            try append(descriptor.number, SD_BUS_TYPE_UNIX_FD)
        case .octets(let octets):
            let result = octets.withUnsafeBytes {
                sd_bus_message_append_array(
                    pointer, CChar(SD_BUS_TYPE_BYTE), $0.baseAddress, $0.count)
            }
            try check(result, value)
        case .array(let elements, let type):
            try open(SD_BUS_TYPE_ARRAY, type, value)
            for element in elements { try append(element, depth: depth + 1) }
            try close(value)
        case .dictionary(let entries, let key, let type):
            try open(SD_BUS_TYPE_ARRAY, "{" + key + type + "}", value)
            // Most calls have options, and most of these are none.
            guard !entries.isEmpty else { return try close(value) }
            // Sorted, so that equal dictionaries make equal messages.
            for entry in entries.sorted(byText: { $0.key.keyText }) {
                try open(SD_BUS_TYPE_DICT_ENTRY, key + type, value)
                try append(entry.key, depth: depth + 1)
                try append(entry.value, depth: depth + 1)
                try close(value)
            }
            try close(value)
        case .structure(let fields):
            // sd-bus accepts it, but the bus would disconnect this program.
            guard !fields.isEmpty else { throw refusal(-EINVAL, of: value.signature) }
            try open(SD_BUS_TYPE_STRUCT, fields.map(\.signature).joined(), value)
            for field in fields { try append(field, depth: depth + 1) }
            try close(value)
        case .variant(let inner):
            try open(SD_BUS_TYPE_VARIANT, inner.signature, value)
            try append(inner, depth: depth + 1)
            try close(value)
        }
    }

    private func append<Number>(_ number: Number, _ type: Int) throws(BusError) {
        let result = withUnsafePointer(to: number) {
            sd_bus_message_append_basic(pointer, CChar(type), $0)
        }
        guard result < 0 else { return }
        throw refusal(result, of: "\(UnicodeScalar(UInt8(type)))")
    }

    private func append(_ text: String, _ type: Int) throws(BusError) {
        let result = text.withCString { octets -> CInt? in
            guard strlen(octets) == text.utf8.count else { return nil }
            return sd_bus_message_append_basic(pointer, CChar(type), octets)
        }
        guard let result else {
            throw BusError(BusError.invalidArguments, "a string that contains NUL cannot be sent")
        }
        guard result < 0 else { return }
        throw refusal(result, of: "\(UnicodeScalar(UInt8(type)))")
    }

    private func open(_ container: Int, _ contents: String, _ value: BusValue) throws(BusError) {
        let result = contents.withCString {
            sd_bus_message_open_container(pointer, CChar(container), $0)
        }
        try check(result, value)
    }

    private func close(_ value: BusValue) throws(BusError) {
        try check(sd_bus_message_close_container(pointer), value)
    }

    private func check(_ result: CInt, _ value: BusValue) throws(BusError) {
        guard result < 0 else { return }
        throw refusal(result, of: value.signature)
    }

    /// A value that cannot be sent is the caller's fault, except for descriptors and memory.
    private func refusal(_ result: CInt, of signature: String) -> BusError {
        switch -result {
        case EINVAL, ENXIO:
            BusError(
                BusError.invalidArguments,
                "a value of the type '\(signature)' is invalid, or not of the declared type"
            )
        default: BusError("send a value of the type '\(signature)'", result: result)
        }
    }
}

extension BusValue {
    /// The sort key of a dictionary's entry.
    fileprivate var keyText: String {
        switch self {
        case .byte(let number): "\(number)"
        case .bool(let bool): bool ? "1" : "0"
        case .int16(let number): "\(number)"
        case .uint16(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .uint32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .uint64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text), .signature(let text): text
        case .objectPath(let path): path.text
        // Not types of keys: sd-bus refuses them.
        case .descriptor, .octets, .array, .dictionary, .structure, .variant: ""
        }
    }
}
