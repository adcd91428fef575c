/// A value of D-Bus, with its type. D-Bus specification, *Type System*.
public enum BusValue: Hashable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`
    case string(String)
    /// `o`
    case objectPath(ObjectPath)
    /// `g`
    case signature(String)
    /// `h`: a descriptor that belongs to this program.
    case descriptor(BusDescriptor)
    /// `ay`, an array of octets, which is common.
    case octets([UInt8])
    /// `a` and the type of the elements.
    case array([BusValue], of: String)
    /// `a{…}`: the types of the keys, which must be basic, and of the values.
    case dictionary([BusValue: BusValue], key: String, value: String)
    /// `(…)`
    case structure([BusValue])
    /// `v`
    indirect case variant(BusValue)

    /// `as`
    public static func strings(_ strings: [String]) -> BusValue {
        .array(strings.map { .string($0) }, of: "s")
    }

    /// `a{sv}`: names and values of any type, as for properties and options.
    public static func options(_ options: [String: BusValue] = [:]) -> BusValue {
        var dictionary: [BusValue: BusValue] = [:]
        for (name, value) in options { dictionary[.string(name)] = .variant(value) }
        return .dictionary(dictionary, key: "s", value: "v")
    }

    /// The type of the value, as a signature.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .octets: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let key, let value): "a{" + key + value + "}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}

/// Typed access; a variant counts as the value in it. `nil` if the value has another type.
extension BusValue {
    private var plain: BusValue { if case .variant(let value) = self { value.plain } else { self } }

    /// The value of a boolean.
    public var bool: Bool? { if case .bool(let value) = plain { value } else { nil } }

    /// The value of an integer of any size; `nil` if it is out of the range of `Int`.
    public var integer: Int? {
        switch plain {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The value of a string.
    public var string: String? { if case .string(let value) = plain { value } else { nil } }

    /// The value of an object path.
    public var objectPath: ObjectPath? {
        if case .objectPath(let value) = plain { value } else { nil }
    }

    /// The descriptor.
    public var descriptor: BusDescriptor? {
        if case .descriptor(let value) = plain { value } else { nil }
    }

    /// The octets of a byte array.
    public var octets: [UInt8]? { if case .octets(let value) = plain { value } else { nil } }

    /// The elements of an array of any other type.
    public var array: [BusValue]? { if case .array(let values, _) = plain { values } else { nil } }

    /// The elements of an array of strings.
    public var strings: [String]? { array?.compactMap(\.string) }

    /// The entries of a dictionary.
    public var dictionary: [BusValue: BusValue]? {
        if case .dictionary(let values, _, _) = plain { values } else { nil }
    }

    /// The entries of a dictionary with strings as keys, such as `a{sv}`; values are unwrapped from their
    /// variants.
    public var properties: [String: BusValue]? {
        guard let dictionary else { return nil }
        var properties: [String: BusValue] = [:]
        properties.reserveCapacity(dictionary.count)
        for (key, value) in dictionary {
            guard let name = key.string else { return nil }
            if case .variant(let inner) = value {
                properties[name] = inner
            } else {
                properties[name] = value
            }
        }
        return properties
    }
}
