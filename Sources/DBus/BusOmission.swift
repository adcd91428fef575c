internal import CSystemd
internal import Glibc

/// Signals that a subscription passes over without taking them apart: those that report a change of one property, an
/// array of octets, and of nothing else, at times when it does not matter to the subscriber. A service may send one for
/// each answer to any program.
public struct BusOmission: Sendable {
    /// The interface of the property.
    public let interface: String
    /// The name of the property.
    public let property: String
    /// Whether the change matters at present. Called on the loop, for each signal of a property.
    let isWanted: @Sendable () -> Bool

    /// The interface of the signal, and its name. D-Bus specification, `org.freedesktop.DBus.Properties`.
    private static let signalInterface = "org.freedesktop.DBus.Properties"
    private static let signalMember = "PropertiesChanged"

    /// Passes over changes of a property alone while `isWanted` is false.
    public init(
        of property: String, in interface: String,
        unless isWanted: @escaping @Sendable () -> Bool
    ) {
        self.interface = interface
        self.property = property
        self.isWanted = isWanted
    }

    /// Whether a signal is passed over now.
    package func covers(_ signal: BusSignal) -> Bool {
        guard mayCover(signal), signal.arguments.count == 3,
            signal.arguments[0] == .string(interface),
            case .dictionary(let changed, key: "s", value: "v") = signal.arguments[1],
            changed.count == 1, case .variant(.octets) = changed[.string(property)],
            signal.arguments[2] == .strings([])
        else { return false }
        return true
    }

    /// Whether a signal with this header may be passed over now.
    func mayCover(_ header: BusSignal) -> Bool {
        header.member == Self.signalMember && header.interface == Self.signalInterface
            && !isWanted()
    }

    /// Whether the arguments of a message are about the property alone. They can be read from the beginning afterwards.
    func isAll(of message: BusMessage) -> Bool {
        defer { sd_bus_message_rewind(message.pointer, 1) }
        return reads(message.pointer)
    }

    private func reads(_ message: OpaquePointer) -> Bool {
        Self.next(message, is: interface)
            && sd_bus_message_enter_container(message, Self.array, "{sv}") > 0
            && sd_bus_message_enter_container(message, Self.entry, "sv") > 0
            && Self.next(message, is: property)
            && sd_bus_message_enter_container(message, Self.variant, "ay") > 0
            && Self.skipsOctets(message)
            && sd_bus_message_exit_container(message) > 0
            && sd_bus_message_exit_container(message) > 0
            // Only a container that was read to its end can be left.
            && sd_bus_message_exit_container(message) > 0
            && sd_bus_message_enter_container(message, Self.array, "s") > 0
            && sd_bus_message_exit_container(message) > 0
            && sd_bus_message_at_end(message, 1) > 0
    }

    /// Passes over an array of octets as a whole; `sd_bus_message_skip` would pass over each octet.
    private static func skipsOctets(_ message: OpaquePointer) -> Bool {
        var octets: UnsafeRawPointer?
        var count = 0
        return sd_bus_message_read_array(message, CChar(SD_BUS_TYPE_BYTE), &octets, &count) > 0
    }

    private static var variant: CChar { CChar(SD_BUS_TYPE_VARIANT) }
    private static var array: CChar { CChar(SD_BUS_TYPE_ARRAY) }
    private static var entry: CChar { CChar(SD_BUS_TYPE_DICT_ENTRY) }

    /// Whether the next value is this string.
    private static func next(_ message: OpaquePointer, is text: String) -> Bool {
        var next: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, CChar(SD_BUS_TYPE_STRING), &next) > 0,
            let next
        else { return false }
        return text.withCString { strcmp($0, next) == 0 }
    }
}
