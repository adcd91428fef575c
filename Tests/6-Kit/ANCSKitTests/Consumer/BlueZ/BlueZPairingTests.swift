import ANCS
import BlueZTestKit
import DBus
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZPairingTests {
    @Test func aPhonePairsAndItsNotificationsComeWithAllTheirTexts() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start()
            let advertisement = await bench.double.clients.values.first?.advertisement
            #expect(advertisement?["LocalName"] == .string("desk lamp"))
            try await bench.double.connectNewPhone()
            try await story.until("1 session")
            #expect(
                story.lines.filter { $0.hasPrefix("1 ") } == [
                    "1 connected", "1 is Anna's iPhone", "1 paired", "1 waits", "1 session",
                ])
            #expect(
                story.lines.filter { $0.hasPrefix("pairing") } == [
                    "pairing open", "pairing closed",
                ])
            let app = try DoublePhone.app
            let text = String(repeating: "long 🥚 ", count: 300)
            try await bench.double.post(
                [
                    ProviderNotification(
                        appIdentifier: app, categoryID: .social, title: "Anna", subtitle: "about",
                        message: text, positiveActionLabel: "Reply", negativeActionLabel: "Clear")
                ], on: BlueZBench.phone)
            let notification = try await story.notification()
            #expect(notification.title == "Anna")
            #expect(notification.subtitle == "about")
            #expect(notification.message == text)
            #expect(notification.app.displayName == "Messages")
            #expect(notification.actions.positive == "Reply")
            #expect(notification.actions.negative == "Clear")
            // Trusted, so that bluetoothd lets the phone's other services in without asking.
            #expect(await bench.double.count(of: "Set Trusted dev_1") == 1)
            await story.consumer.stop()
        }
    }

    @Test(arguments: [true, false])
    func theUserSaysWhetherBothShowTheSameDigits(areSame: Bool) async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start(ability: .yesNo)
            try await bench.double.connectNewPhone(pairing: .compare(42))
            let event = try await story.until("1 asks to compare 000042")
            guard case .peer(_, .pairing(.compare(let comparison))) = event else { return }
            if areSame { comparison.confirm() } else { comparison.reject() }
            try await story.until(areSame ? "1 session" : "1 not secured")
            // An answer is given once.
            comparison.cancel()
            await story.consumer.stop()
            #expect(await bench.double.phones.values.map(\.isPaired) == [areSame])
        }
    }

    @Test func theUserTypesWhatThePhoneShows() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start(ability: .keyboard)
            try await bench.double.connectNewPhone(pairing: .passkeyOfPhone(123_456))
            guard case .peer(_, .pairing(.enter(let entry))) = try await story.until("1 asks")
            else {
                Issue.record("something else is asked")
                return
            }
            entry.enter(123_456)
            try await story.until("1 session")
            await story.consumer.stop()
        }
    }

    @Test func whatTheUserTypesOnThePhoneIsShown() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start(ability: .display)
            try await bench.double.connectNewPhone(pairing: .passkeyOfAccessory(7))
            guard case .peer(_, .pairing(.display(let display))) = try await story.until("1 asks")
            else {
                Issue.record("something else is shown")
                return
            }
            #expect(display.passkey == 7)
            await bench.double.run { double in
                for phone in double.phones.values { double.paired(phone) }
            }
            try await story.until("1 session")
            await story.consumer.stop()
        }
    }

    @Test func theUserGivesUpWhileDigitsAreShown() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start(ability: .display)
            try await bench.double.connectNewPhone(pairing: .passkeyOfAccessory(7))
            guard case .peer(_, .pairing(let request)) = try await story.until("1 asks") else {
                return
            }
            request.cancel()
            guard
                case .peer(_, .securityFailed(.cancelled)) = try await story.until("1 not secured")
            else {
                Issue.record("it failed otherwise")
                return
            }
            #expect(await bench.double.count(of: "CancelPairing dev_1") == 1)
            await story.consumer.stop()
        }
    }

    @Test func aQuestionOfAPhoneThatHasGoneIsAnsweredInVain() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.start(ability: .yesNo)
            try await bench.double.connectNewPhone(pairing: .compare(1))
            let event = try await story.until("1 asks to compare 000001")
            guard case .peer(_, .pairing(let request)) = event else { return }
            await bench.double.disconnect(BlueZBench.phone)
            try await story.until("1 disconnected")
            guard case .compare(let comparison) = request else { return }
            comparison.confirm()
            await story.consumer.stop()
            #expect(await story.end() == nil)
            #expect(story.lines.last { $0.hasPrefix("1 ") } == "1 disconnected")
            #expect(await bench.double.phones.values.map(\.isPaired) == [false])
        }
    }
}
