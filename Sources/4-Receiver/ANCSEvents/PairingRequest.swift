/// A question of pairing to the user. Each kind of request has methods for its answers, which may be called
/// from any thread:
///
///     switch request {
///     case .display(let display): print("type \(display.passkey) on the phone")
///     case .compare(let comparison):
///         if ask("does the phone show \(comparison.number)?") { comparison.confirm() } else { comparison.reject() }
///     case .enter(let entry):
///         if let passkey = SixDigits(typed) { entry.enter(passkey) } else { entry.cancel() }
///     case .consent(let consent): consent.allow()
///     }
///
/// Only the first answer counts. An answer does nothing if the request was withdrawn because pairing
/// continued, failed or ended; it never reaches a later request.
public enum PairingRequest: Equatable, Sendable {
    /// Display six digits, which the user enters on the other device.
    case display(PasskeyDisplay)
    /// Ask whether the other device displays the same six digits.
    case compare(NumericComparison)
    /// Ask for the six digits that the other device displays.
    case enter(PasskeyEntry)
    /// Ask whether to pair with the other device.
    case consent(PairingConsent)

    /// Cancels pairing.
    public func cancel() {
        switch self {
        case .display(let display): display.cancel()
        case .compare(let comparison): comparison.cancel()
        case .enter(let entry): entry.cancel()
        case .consent(let consent): consent.cancel()
        }
    }
}

/// A passkey to display; the user enters it on the other device. Core Vol 3, Part H, 2.3.5.3.
public struct PasskeyDisplay: Equatable, Sendable {
    /// The passkey.
    public let passkey: SixDigits
    private let reply: PairingReply

    package init(_ passkey: SixDigits, reply: PairingReply = .none) {
        self.passkey = passkey
        self.reply = reply
    }

    /// Cancels pairing.
    public func cancel() { reply.send(.cancel) }
}

/// Two numbers for the user to compare. Core Vol 3, Part H, 2.3.5.6.2.
public struct NumericComparison: Equatable, Sendable {
    /// The number of this device.
    public let number: SixDigits
    private let reply: PairingReply

    package init(_ number: SixDigits, reply: PairingReply = .none) {
        self.number = number
        self.reply = reply
    }

    /// The other device displays the same number.
    public func confirm() { reply.send(.confirm(true)) }

    /// The other device displays another number: there may be a man in the middle.
    public func reject() { reply.send(.confirm(false)) }

    /// Cancels pairing.
    public func cancel() { reply.send(.cancel) }
}

/// A passkey to enter; the other device displays it. Core Vol 3, Part H, 2.3.5.3.
public struct PasskeyEntry: Equatable, Sendable {
    private let reply: PairingReply

    package init(reply: PairingReply = .none) { self.reply = reply }

    /// Answers with the digits that the user entered.
    public func enter(_ passkey: SixDigits) { reply.send(.passkey(passkey.value)) }

    /// Cancels pairing.
    public func cancel() { reply.send(.cancel) }
}

/// A question whether to pair, if the method has no other question; or whether to receive from a device that is
/// paired.
public struct PairingConsent: Equatable, Sendable {
    /// The device, if it is paired with this machine already, by another program, and the question is whether it is a
    /// phone to receive from: ``BondPolicy/ask``. Such a question is about the bond: it stays when the device
    /// disconnects, and is asked again, as the same request, each time that the device returns.
    public let bond: BondedPeer?
    private let reply: PairingReply

    package init(about bond: BondedPeer? = nil, reply: PairingReply = .none) {
        self.bond = bond
        self.reply = reply
    }

    /// Pairs with the other device, or receives from it.
    public func allow() { reply.send(.confirm(true)) }

    /// Refuses to pair, or to receive from it.
    public func refuse() { reply.send(.confirm(false)) }

    /// Cancels pairing; decides nothing about a bond.
    public func cancel() { reply.send(.cancel) }
}

/// Six decimal digits, from 000000 to 999999. A literal that is not in this range traps.
public struct SixDigits: Equatable, Sendable {
    /// The number.
    public let value: UInt32

    /// The digits of a number; `nil` if it is negative or has more than six.
    public init?(_ value: some BinaryInteger) {
        guard let value = UInt32(exactly: value), value < 1_000_000 else { return nil }
        self.value = value
    }

    /// Parses what a user entered: one to six digits, leading zeros optional; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        value = digits.reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
    }
}

extension SixDigits: ExpressibleByIntegerLiteral {
    /// The digits of a literal of at most 999,999; a larger one traps.
    public init(integerLiteral value: UInt32) {
        precondition(value < 1_000_000, "a passkey has at most six digits")
        self.value = value
    }
}

extension SixDigits: CustomStringConvertible {
    /// All six digits: `000042`.
    public var description: String {
        let text = String(value)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }
}

/// The destination of the answer to a request.
package struct PairingReply: Equatable, Sendable {
    /// An answer of the user, to any kind of request.
    package enum Answer: Equatable, Sendable {
        /// Yes, or no.
        case confirm(Bool)
        /// The digits that the other device displays.
        case passkey(UInt32)
        /// The user cancelled.
        case cancel
    }

    /// Identifies the request among all of its adapter.
    private let request: UInt64
    private let receive: @Sendable (Answer) -> Void

    package init(to request: UInt64, _ receive: @escaping @Sendable (Answer) -> Void) {
        self.request = request
        self.receive = receive
    }

    /// A reply that does nothing.
    package static let none = PairingReply(to: 0) { _ in }

    package func send(_ answer: Answer) { receive(answer) }

    package static func == (left: Self, right: Self) -> Bool { left.request == right.request }

    package func hash(into hasher: inout Hasher) { hasher.combine(request) }
}

extension PairingReply: CustomReflectable {
    /// Hides the internals from dumps.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
