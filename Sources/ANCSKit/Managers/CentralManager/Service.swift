public import BluetoothLE
internal import LinuxIO

/// A service of a peripheral, as `CBService`: an object that stays the same for as long as the
/// peripheral has it and stays connected. May be read from any thread.
public final class Service: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// Whether it is a primary service; included ones may be secondary.
    public let isPrimary: Bool
    /// The peripheral that it belongs to.
    public weak let peripheral: Peripheral?

    /// The service declaration and all that belongs to it.
    package let range: AttributeHandleRange
    private let state = Lock(State())

    private struct State {
        var includedServices: [Service]?
        var characteristics: [Characteristic]?
    }

    init(
        range: AttributeHandleRange, uuid: BluetoothUUID, isPrimary: Bool,
        of peripheral: Peripheral
    ) {
        self.range = range
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.peripheral = peripheral
    }

    /// The services that it includes, once they have been discovered.
    public var includedServices: [Service]? { state.withLock { $0.includedServices } }

    /// The characteristics that have been discovered so far.
    public var characteristics: [Characteristic]? { state.withLock { $0.characteristics } }

    func setIncludedServices(_ services: [Service]) {
        state.withLock { $0.includedServices = services }
    }

    /// Services may include each other, and would then never be let go.
    func forgetIncludedServices() { state.withLock { $0.includedServices = nil } }

    func setCharacteristics(_ characteristics: [Characteristic]) {
        state.withLock { $0.characteristics = characteristics }
    }
}

extension Service: Hashable {
    /// Whether both are the same object.
    public static func == (one: Service, other: Service) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Service: CustomStringConvertible {
    /// `Service(180F)`: its UUID, and nothing of what it holds.
    public var description: String { "Service(\(uuid.text))" }
}
