public import BluetoothLE
internal import LinuxIO

/// A central that uses what a ``PeripheralManager`` publishes, as `CBCentral`: one object for as long as
/// it is connected. May be read from any thread.
public final class Central: Sendable {
    private let state: Lock<State>

    private struct State {
        var identifier: PeerIdentifier
        var maximumUpdateValueLength: Int
    }

    /// Who it is to the system.
    let peer: PeerKey

    init(_ peer: PeerKey, called identifier: PeerIdentifier, mtu: Int) {
        self.peer = peer
        state = Lock(
            State(identifier: identifier, maximumUpdateValueLength: Self.length(mtu: mtu)))
    }

    /// Who it is: the same on every connection, in every run, if it is bonded. Pairing may reveal that it
    /// is a peer that was known before, and give it that one's identifier.
    public var identifier: PeerIdentifier { state.withLock { $0.identifier } }

    /// The most octets of a value that one notification or indication carries: ATT_MTU - 3. Longer values
    /// are cut.
    public var maximumUpdateValueLength: Int {
        state.withLock { $0.maximumUpdateValueLength }
    }

    func setIdentifier(_ identifier: PeerIdentifier) {
        state.withLock { $0.identifier = identifier }
    }

    func setMTU(_ mtu: Int) {
        state.withLock { $0.maximumUpdateValueLength = Self.length(mtu: mtu) }
    }

    /// Opcode and handle take three octets. Core Vol 3, Part F, 3.4.7.1.
    private static func length(mtu: Int) -> Int { mtu - 3 }
}

extension Central: Hashable {
    /// Whether both are the same object.
    public static func == (one: Central, other: Central) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Central: CustomStringConvertible {
    /// Its identifier.
    public var description: String { "Central(\(identifier.text))" }
}

/// What a central asks of a value that the app keeps, as `CBATTRequest`. It is answered once, with
/// ``PeripheralManager/respond(to:withResult:)``. May be used from any thread.
public final class ATTRequest: Sendable {
    /// Who asks.
    public let central: Central
    /// The characteristic whose value it is about.
    public let characteristic: MutableCharacteristic
    /// Where in the value the octets of ``value`` begin. 0 for a read: the host asks for the whole value
    /// and cuts out what the central wants.
    public let offset: Int
    /// Which of the questions that wait this belongs to.
    let question: UInt64
    private let state: Lock<[UInt8]?>

    init(
        _ central: Central, _ characteristic: MutableCharacteristic, offset: Int = 0,
        value: [UInt8]? = nil, question: UInt64
    ) {
        self.central = central
        self.characteristic = characteristic
        self.offset = offset
        self.question = question
        state = Lock(value)
    }

    /// Of a write the octets; of a read what the app sets before it answers.
    public var value: [UInt8]? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension ATTRequest: Hashable {
    /// Whether both are the same object.
    public static func == (one: ATTRequest, other: ATTRequest) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ATTRequest: CustomStringConvertible {
    /// What it is about, and nothing of its value.
    public var description: String { "ATTRequest(\(characteristic.uuid.text), of \(central))" }
}

extension ATTErrorCode {
    /// No error: `CBATTError.Code.success`, for ``PeripheralManager/respond(to:withResult:)``. Never on
    /// air.
    public static let success = ATTErrorCode(rawValue: 0)
}
