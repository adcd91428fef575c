import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// Where the user has to compare or type digits, no device pairs without them.
@Suite struct JustWorksTests {
    private static let refused = Bench.Line.phone(1, .pairingFailed(.notAuthenticated))

    private static func pairing(required: Bool = true, isResolved: Bool = true) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.ability = .keyboardDisplay
        configuration.requiresAuthentication = required
        let bench = Bench(configuration)
        bench.begin()
        bench.addDevice(isResolved: isResolved)
        bench.answer("UnregisterAdvertisement hci0")
        return bench
    }

    @Test func anAuthorizationWithoutDigitsIsRejected() {
        let bench = Self.pairing()
        guard case .answer(_, .failure) = bench.askAgent("RequestAuthorization").first else {
            Issue.record("it was allowed")
            return
        }
    }

    /// bluetoothd asks nobody while `Pair` is pending.
    @Test func aBondThatNobodyWasAskedAboutIsRemovedBeforeAnythingIsRead() {
        let bench = Self.pairing()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(
            bench.answer("Pair dev_1") == [
                Self.refused, .call("RemoveDevice hci0"), .call("RegisterAdvertisement hci0"),
            ])
        #expect(bench.addANCS().isEmpty)
        #expect(bench.resolve().isEmpty)
        #expect(bench.request(.subscribe(.dataSource)).isEmpty)
        #expect(bench.remove(Bench.path("dev_1")).contains(.phone(1, .disconnected(.linkEnded))))
    }

    @Test func aBondThatIsNotRemovedIsNotUsedWhenTheDeviceReturns() {
        let bench = Self.pairing()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        bench.addANCS()
        bench.answer("Pair dev_1")
        bench.refuse("RemoveDevice hci0", "Failed")
        bench.disconnect()
        bench.goOnAir()
        #expect(bench.connect().phoneEvents.isEmpty)
        #expect(bench.resolve().phoneEvents.isEmpty)
    }

    @Test func whatPairsByItselfAfterAFailureIsRemovedToo() {
        let bench = Self.pairing()
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]) == [
                Self.refused, .call("RemoveDevice hci0"),
            ])
    }

    @Test func whatWasPairedBeforeTheCallArrivedIsRemovedToo() {
        let bench = Self.pairing()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(bench.refuse("Pair dev_1", "AlreadyExists").contains(Self.refused))
    }

    @Test func aQuestionThatTheUserDidNotAnswerProvesNothing() {
        let bench = Self.pairing()
        _ = bench.askAgent("RequestConfirmation", 42)
        _ = bench.call(PairingAgent.path, PairingAgent.interface, "Cancel")
        #expect(bench.answer("Pair dev_1").contains(Self.refused))
    }

    @Test(arguments: [PairingReply.Answer.confirm(true), .passkey(42)])
    func digitsThatWereComparedOrTypedAreEnough(_ answer: PairingReply.Answer) {
        let bench = Self.pairing()
        if answer == .confirm(true) {
            _ = bench.askAgent("RequestConfirmation", 42)
        } else {
            _ = bench.askAgent("RequestPasskey")
        }
        bench.input { $0.answer(1, answer, at: $1) }
        #expect(
            bench.answer("Pair dev_1").phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
    }

    /// The other device's user has to type them; a controller without Secure Connections makes them.
    @Test func digitsThatWereShownAreEnough() {
        let bench = Self.pairing()
        _ = bench.askAgent("DisplayPasskey", 42)
        #expect(
            bench.answer("Pair dev_1").phoneEvents == [
                .withdrawn, .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
    }

    /// The reply to the `Pair` of a link that has ended comes while the next link pairs.
    @Test(arguments: [true, false])
    func aLateReplyOfAnEarlierLinkSaysNothingOfTheNext(isSuccess: Bool) {
        let bench = Self.pairing()
        bench.disconnect()
        bench.goOnAir()
        bench.connect()
        bench.resolve()
        #expect(bench.pending.count { $0.text == "Pair dev_1" } == 2)
        _ = bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        let late: Result<[BusValue], BusError> =
            isSuccess ? .success([]) : .failure(.blueZ("AuthenticationCanceled"))
        #expect(bench.finish("Pair dev_1", late).isEmpty)
        #expect(
            bench.answer("Pair dev_1").phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
    }

    /// Digits that were compared on the earlier link are no proof for the later one.
    @Test func digitsOfAnEarlierLinkProveNothing() {
        let bench = Self.pairing()
        _ = bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        bench.disconnect()
        bench.goOnAir()
        bench.connect()
        bench.resolve()
        #expect(bench.finish("Pair dev_1", .success([])).isEmpty)
        #expect(
            bench.answer("Pair dev_1").contains(.phone(2, .pairingFailed(.notAuthenticated))))
    }

    @Test func theAnswerForOneDeviceIsNotForTheNext() {
        let bench = Self.pairing()
        _ = bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        bench.disconnect()
        bench.goOnAir()
        bench.wait(.seconds(1))
        bench.addDevice("dev_2", address: "DA:00:00:00:00:02")
        #expect(
            bench.answer("Pair dev_2").contains(.phone(2, .pairingFailed(.notAuthenticated))))
    }

    @Test func aPhoneFromBeforeStaysPaired() {
        let bench = Self.pairing()
        bench.disconnect()
        bench.goOnAir()
        bench.serve("dev_2", of: 2)
        #expect(
            bench.broadcast([1], of: "dev_2/service0010/char0011") == [
                .report(2, .notificationSource([1]))
            ])
    }

    @Test func whereNothingIsRequiredJustWorksIsEnough() {
        let bench = Self.pairing(required: false)
        #expect(
            bench.answer("Pair dev_1").phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
    }

    @Test func justWorksThatTheDeviceBeginsIsRefusedAtOnceAndSaidWhereDigitsAreRequired() {
        let bench = Self.pairing(isResolved: false)
        let lines = bench.askAgent("RequestAuthorization")
        #expect(lines.answers == 1)
        #expect(lines.phoneEvents == [.pairingFailed(.notAuthenticated)])
        #expect(!bench.resolve().calls.contains("Pair dev_1"))
        // Whatever bluetoothd makes of the answer, the device is removed.
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).calls.contains("RemoveDevice hci0")
        )
    }

    @Test func justWorksThatIsRefusedWhilePairingIsTheReasonOfTheFailure() {
        let bench = Self.pairing()
        #expect(bench.askAgent("RequestAuthorization").phoneEvents.isEmpty)
        #expect(
            bench.refuse("Pair dev_1", "AuthenticationFailed").phoneEvents == [
                .pairingFailed(.notAuthenticated)
            ])
    }
}
