public import BluetoothLE
public import LinuxIO

/// A service of a peripheral, like `CBService`: one object as long as the peripheral has the service and
/// stays connected. May be read from any thread.
public final class Service: IdentityHashable, Sendable {
    /// The UUID of the service.
    public let uuid: BluetoothUUID
    /// Whether it is a primary service; included ones may be secondary.
    public let isPrimary: Bool
    /// The peripheral of the service.
    public weak let peripheral: Peripheral?

    /// The range of the service declaration and everything that belongs to it.
    package let range: AttributeHandleRange
    private let state = Lock(State())

    private struct State {
        var includedServices: [Service]?
        var characteristics: [Characteristic]?
    }

    init(
        range: AttributeHandleRange, uuid: BluetoothUUID, isPrimary: Bool, of peripheral: Peripheral
    ) {
        (self.range, self.uuid, self.isPrimary) = (range, uuid, isPrimary)
        self.peripheral = peripheral
    }

    /// The included services; `nil` before they are discovered.
    public var includedServices: [Service]? { state.withLock { $0.includedServices } }

    /// The characteristics discovered so far; `nil` before that.
    public var characteristics: [Characteristic]? { state.withLock { $0.characteristics } }

    func setIncludedServices(_ services: [Service]) {
        state.withLock { $0.includedServices = services }
    }

    /// Services may include each other, which would be a retain cycle.
    func forgetIncludedServices() { state.withLock { $0.includedServices = nil } }

    func setCharacteristics(_ characteristics: [Characteristic]) {
        state.withLock { $0.characteristics = characteristics }
    }
}

extension Service: CustomStringConvertible {
    /// `Service(180F)`: its UUID, without its contents.
    public var description: String { "Service(\(uuid.text))" }
}
