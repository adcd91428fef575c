import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite struct PairingAgentTests {
    private static let device = BusValue.objectPath("/org/bluez/hci0/dev_1")
    private static let rejected = BusError.blueZ("Rejected", "Rejected")
    private static let canceled = BusError.blueZ("Canceled", "Canceled")

    /// A phone is pairing, and the user can be asked.
    private static func pairing() -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.ability = .keyboardDisplay
        let bench = Bench(configuration)
        bench.begin()
        bench.addDevice()
        return bench
    }

    private static func ask(
        _ bench: Bench, _ member: String, _ arguments: BusValue..., from sender: String? = nil
    ) -> [Bench.Line] {
        switch arguments.count {
        case 0: bench.call(PairingAgent.path, PairingAgent.interface, member, from: sender)
        case 1:
            bench.call(
                PairingAgent.path, PairingAgent.interface, member, arguments[0], from: sender)
        case _:
            bench.call(
                PairingAgent.path, PairingAgent.interface, member, arguments[0], arguments[1],
                from: sender)
        }
    }

    private static func answer(
        _ bench: Bench, _ question: UInt64, _ answer: PairingReply.Answer
    ) -> [Bench.Line] {
        bench.input { $0.answer(question, answer, at: $1) }
    }

    private static func answered(
        _ number: UInt64, _ result: Result<[BusValue], BusError>
    ) -> Bench.Line { .answer(InvocationID(rawValue: number), result) }

    private static func question(
        _ id: UInt64, _ kind: SecurityQuestion
    ) -> Bench.Line { .phone(1, .ask(.init(id: id, kind: kind))) }

    @Test func theAgentIsRegisteredWithWhatTheUserCanDoAndIsNotTheDefaultOne() {
        let bench = Self.pairing()
        #expect(bench.pending.filter { $0.text.contains("DefaultAgent") }.isEmpty)
        let other = Bench()
        other.addAdapter()
        other.daemonBegins()
        #expect(
            other.pending.first { $0.text.hasPrefix("RegisterAgent") }?.call.arguments == [
                .objectPath(PairingAgent.path), .string("NoInputNoOutput"),
            ])
    }

    static let comparisons: [(PairingReply.Answer, Result<[BusValue], BusError>)] = [
        (.confirm(true), .success([])), (.confirm(false), .failure(rejected)),
        (.cancel, .failure(canceled)), (.passkey(1), .failure(canceled)),
    ]

    @Test(arguments: comparisons)
    func sixDigitsAreCompared(
        _ answer: PairingReply.Answer, _ result: Result<[BusValue], BusError>
    ) {
        let bench = Self.pairing()
        #expect(
            Self.ask(bench, "RequestConfirmation", Self.device, .uint32(42)) == [
                Self.question(1, .compare(42))
            ])
        #expect(Self.answer(bench, 1, answer) == [Self.answered(1, result)])
        // A question is answered once.
        #expect(Self.answer(bench, 1, .confirm(true)).isEmpty)
    }

    static let passkeys: [(PairingReply.Answer, Result<[BusValue], BusError>)] = [
        (.passkey(123_456), .success([.uint32(123_456)])), (.cancel, .failure(canceled)),
        (.confirm(true), .failure(canceled)),
    ]

    @Test(arguments: passkeys)
    func aPasskeyIsEntered(
        _ answer: PairingReply.Answer, _ result: Result<[BusValue], BusError>
    ) {
        let bench = Self.pairing()
        #expect(
            Self.ask(bench, "RequestPasskey", Self.device) == [Self.question(1, .enterPasskey)])
        #expect(Self.answer(bench, 1, answer) == [Self.answered(1, result)])
    }

    @Test func aPasskeyIsShownOnceForAllItsDigits() {
        let bench = Self.pairing()
        #expect(
            Self.ask(bench, "DisplayPasskey", Self.device, .uint32(7)) == [
                Self.answered(1, .success([])), Self.question(1, .displayPasskey(7)),
            ])
        #expect(
            Self.ask(bench, "DisplayPasskey", Self.device, .uint32(7)) == [
                Self.answered(2, .success([]))
            ])
        #expect(Self.answer(bench, 1, .confirm(true)).isEmpty)
        #expect(Self.answer(bench, 1, .cancel) == [.call("CancelPairing dev_1")])
    }

    @Test func whatIsShownIsTakenAwayWithTheAnswerToPair() {
        let bench = Self.pairing()
        _ = Self.ask(bench, "DisplayPasskey", Self.device, .uint32(7))
        #expect(bench.answer("Pair dev_1").phoneEvents.contains(.withdrawn))
    }

    @Test func justWorksNeedsNoUser() {
        let bench = Self.pairing()
        #expect(
            Self.ask(bench, "RequestAuthorization", Self.device) == [
                Self.answered(1, .success([]))
            ])
    }

    @Test(arguments: ["AuthorizeService", "RequestPinCode", "DisplayPinCode", "Nonsense"])
    func whatIsNotForThisAgentIsRejected(_ member: String) {
        let bench = Self.pairing()
        #expect(
            Self.ask(bench, member, Self.device, .string("x")) == [
                Self.answered(1, .failure(Self.rejected))
            ])
    }

    @Test(arguments: [[], [.string("x")], [device, .string("x")]] as [[BusValue]])
    func aQuestionOfOtherTypesIsRejected(_ arguments: [BusValue]) {
        let bench = Self.pairing()
        let lines = bench.input {
            $0.receive(
                BusMethodCall(
                    from: Bench.owner, PairingAgent.path, PairingAgent.interface,
                    "RequestConfirmation", arguments), InvocationID(rawValue: 1), at: $1)
        }
        #expect(lines == [Self.answered(1, .failure(Self.rejected))])
    }

    @Test func cancelAndReleaseTakeTheQuestionAway() {
        for member in ["Cancel", "Release"] {
            let bench = Self.pairing()
            _ = Self.ask(bench, "RequestConfirmation", Self.device, .uint32(42))
            #expect(
                Self.ask(bench, member) == [
                    Self.answered(1, .failure(Self.canceled)), .phone(1, .withdrawn),
                    Self.answered(2, .success([])),
                ])
            #expect(Self.answer(bench, 1, .confirm(true)).isEmpty)
        }
    }

    @Test func aNewQuestionTakesTheLastOneAway() {
        let bench = Self.pairing()
        _ = Self.ask(bench, "RequestConfirmation", Self.device, .uint32(1))
        #expect(
            Self.ask(bench, "RequestConfirmation", Self.device, .uint32(2)) == [
                Self.answered(1, .failure(Self.canceled)), .phone(1, .withdrawn),
                Self.question(2, .compare(2)),
            ])
        #expect(Self.answer(bench, 1, .confirm(true)).isEmpty)
        #expect(Self.answer(bench, 2, .confirm(true)) == [Self.answered(2, .success([]))])
    }

    @Test func aDeviceThatIsNotBeingPairedFromHereIsRejected() {
        let bench = Self.pairing()
        #expect(
            Self.ask(
                bench, "RequestConfirmation", .objectPath("/org/bluez/hci0/dev_2"), .uint32(1))
                == [Self.answered(1, .failure(Self.rejected))])
        bench.answer("Pair dev_1")
        #expect(
            Self.ask(bench, "RequestAuthorization", Self.device) == [
                Self.answered(2, .failure(Self.rejected))
            ])
    }

    @Test func aCallerThatIsNotBluetoothdAsksNobody() {
        let bench = Self.pairing()
        for member in ["RequestConfirmation", "Cancel", "Release"] {
            guard
                case .answer(_, .failure(let error)) = Self.ask(
                    bench, member, Self.device, .uint32(1), from: ":1.66"
                ).first
            else {
                Issue.record("it is answered")
                continue
            }
            #expect(error.name == BusError.accessDenied)
        }
    }

    @Test func aLinkThatEndsTakesTheQuestionAway() {
        let bench = Self.pairing()
        _ = Self.ask(bench, "RequestConfirmation", Self.device, .uint32(42))
        #expect(bench.disconnect().contains(Self.answered(1, .failure(Self.canceled))))
    }

    @Test func anAgentThatIsRefusedIsNamedAndPairingGoesOn() {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        let error = BusError.blueZ("InvalidArguments", "Invalid arguments in method call")
        #expect(
            bench.finish("RegisterAgent /org/bluez", .failure(error)) == [
                .event(.agentRefused(error))
            ])
        bench.goOnAir()
        #expect(bench.addDevice().calls.contains("Pair dev_1"))
    }

    @Test func anAgentThatIsThereFromBeforeIsOurs() {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        #expect(bench.refuse("RegisterAgent /org/bluez", "AlreadyExists").isEmpty)
    }
}
