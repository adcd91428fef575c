public import LinuxIO

/// A central that uses the services of a ``PeripheralManager``, like `CBCentral`: one object while it is
/// connected. May be read from any thread.
public final class Central: IdentityHashable, Sendable {
    private let state: Lock<State>

    private struct State {
        var identifier: PeerIdentifier
        var maximumUpdateValueLength: Int
    }

    /// Its key in the system.
    let peer: PeerKey

    init(_ peer: PeerKey, called identifier: PeerIdentifier, mtu: Int) {
        self.peer = peer
        state = Lock(State(identifier: identifier, maximumUpdateValueLength: Self.length(mtu: mtu)))
    }

    /// Its identifier; the same in every connection and every run if it is bonded. Pairing may reveal that it
    /// is a peer that was known before, and change the identifier.
    public var identifier: PeerIdentifier { state.withLock { $0.identifier } }

    /// The longest value of a notification or indication in octets: ATT_MTU - 3. Longer values are cut.
    public var maximumUpdateValueLength: Int { state.withLock { $0.maximumUpdateValueLength } }

    func setIdentifier(_ identifier: PeerIdentifier) {
        state.withLock { $0.identifier = identifier }
    }

    func setMTU(_ mtu: Int) {
        state.withLock { $0.maximumUpdateValueLength = Self.length(mtu: mtu) }
    }

    /// The length of a value; opcode and handle take three octets. Core Vol 3, Part F, 3.4.7.1.
    private static func length(mtu: Int) -> Int { mtu - 3 }
}

extension Central: CustomStringConvertible {
    /// Its identifier.
    public var description: String { "Central(\(identifier.text))" }
}

/// A central's read or write of a value that the app serves, like `CBATTRequest`. Answer it once, with
/// ``PeripheralManager/respond(to:withResult:)``. May be used from any thread.
public final class ATTRequest: IdentityHashable, Sendable {
    /// The central that sent the request.
    public let central: Central
    /// The characteristic.
    public let characteristic: MutableCharacteristic
    /// The offset of ``value`` within the characteristic's value. 0 for a read: the app gives the whole
    /// value, and the host extracts the part that the central asked for.
    public let offset: Int
    /// The pending request of the host that it belongs to.
    let question: UInt64
    private let state: Lock<[UInt8]?>

    init(
        _ central: Central, _ characteristic: MutableCharacteristic, offset: Int = 0,
        value: [UInt8]? = nil, question: UInt64
    ) {
        (self.central, self.characteristic, self.offset) = (central, characteristic, offset)
        self.question = question
        state = Lock(value)
    }

    /// The octets of a write; for a read, the app sets it before it responds.
    public var value: [UInt8]? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension ATTRequest: CustomStringConvertible {
    /// The characteristic and the central, without the value.
    public var description: String { "ATTRequest(\(characteristic.uuid.text), of \(central))" }
}

extension ATTErrorCode {
    /// No error, like `CBATTError.Code.success`, for ``PeripheralManager/respond(to:withResult:)``. Never
    /// sent.
    public static let success = ATTErrorCode(rawValue: 0)
}
