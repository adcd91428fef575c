/// What pairing wants of the user. A request takes the answers of its kind, from any thread:
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
/// It is answered once. Where it was answered before, or withdrawn since pairing went on, failed or ended,
/// an answer does nothing; it never reaches a later request of the same device.
public enum PairingRequest: Hashable, Sendable {
    /// Show six digits, which the user types on the other device.
    case display(PasskeyDisplay)
    /// Does the other device show the same six digits?
    case compare(NumericComparison)
    /// Enter the six digits that the other device shows.
    case enter(PasskeyEntry)
    /// May the other device pair at all?
    case consent(PairingConsent)

    /// Gives pairing up.
    public func cancel() {
        switch self {
        case .display(let display): display.cancel()
        case .compare(let comparison): comparison.cancel()
        case .enter(let entry): entry.cancel()
        case .consent(let consent): consent.cancel()
        }
    }
}

/// The user types these digits on the other device. Core Vol 3, Part H, 2.3.5.3.
public struct PasskeyDisplay: Hashable, Sendable {
    /// What is to be shown.
    public let passkey: SixDigits
    private let reply: PairingReply

    package init(_ passkey: SixDigits, reply: PairingReply = .none) {
        self.passkey = passkey
        self.reply = reply
    }

    /// Gives pairing up.
    public func cancel() { reply.send(.cancel) }
}

/// The user says whether both devices show the same digits. Core Vol 3, Part H, 2.3.5.6.2.
public struct NumericComparison: Hashable, Sendable {
    /// What this device is to show.
    public let number: SixDigits
    private let reply: PairingReply

    package init(_ number: SixDigits, reply: PairingReply = .none) {
        self.number = number
        self.reply = reply
    }

    /// The other device shows the same digits.
    public func confirm() { reply.send(.confirm(true)) }

    /// It shows others: somebody may be in the middle.
    public func reject() { reply.send(.confirm(false)) }

    /// Gives pairing up.
    public func cancel() { reply.send(.cancel) }
}

/// The user types the digits that the other device shows. Core Vol 3, Part H, 2.3.5.3.
public struct PasskeyEntry: Hashable, Sendable {
    private let reply: PairingReply

    package init(reply: PairingReply = .none) { self.reply = reply }

    /// The digits that the user typed.
    public func enter(_ passkey: SixDigits) { reply.send(.passkey(passkey.value)) }

    /// Gives pairing up.
    public func cancel() { reply.send(.cancel) }
}

/// The user says whether the other device may pair, where nothing is compared or typed.
public struct PairingConsent: Hashable, Sendable {
    private let reply: PairingReply

    package init(reply: PairingReply = .none) { self.reply = reply }

    /// It may.
    public func allow() { reply.send(.confirm(true)) }

    /// It may not.
    public func refuse() { reply.send(.confirm(false)) }

    /// Gives pairing up.
    public func cancel() { reply.send(.cancel) }
}

/// Six decimal digits, from 000000 to 999999. A literal that is not in this range traps.
public struct SixDigits: Hashable, Sendable {
    /// The number that they are.
    public let value: UInt32

    /// The digits of a number; `nil` where it has more than six, or is negative.
    public init?(_ value: some BinaryInteger) {
        guard let value = UInt32(exactly: value), value < 1_000_000 else { return nil }
        self.value = value
    }

    /// What a user typed: one to six digits, and nothing else; zeros in front may be missing.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        value = digits.reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
    }
}

extension SixDigits: ExpressibleByIntegerLiteral {
    /// The digits of a literal, at most 999,999.
    public init(integerLiteral value: UInt32) {
        precondition(value < 1_000_000, "more than six digits")
        self.value = value
    }
}

extension SixDigits: CustomStringConvertible {
    /// All six: `000042`.
    public var description: String {
        let text = String(value)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }
}

/// Where the answer to one request goes.
package struct PairingReply: Hashable, Sendable {
    /// What a user may answer, whatever was asked.
    package enum Answer: Hashable, Sendable {
        /// Yes, or no.
        case confirm(Bool)
        /// The digits that the other device shows.
        case passkey(UInt32)
        /// The user gave up.
        case cancel
    }

    /// Names the request among all that its adapter ever makes.
    private let request: UInt64
    private let receive: @Sendable (Answer) -> Void

    package init(to request: UInt64, _ receive: @escaping @Sendable (Answer) -> Void) {
        self.request = request
        self.receive = receive
    }

    /// No pairing waits for the answer.
    package static let none = PairingReply(to: 0) { _ in }

    func send(_ answer: Answer) { receive(answer) }

    package static func == (left: Self, right: Self) -> Bool { left.request == right.request }

    package func hash(into hasher: inout Hasher) { hasher.combine(request) }
}

extension PairingReply: CustomReflectable {
    /// What it holds means nothing to the reader of a request.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
