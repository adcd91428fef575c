import ANCS
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZSessionTests {
    @Test func whatAPhoneReplaysBeforeItsServicesAreResolvedIsDelivered() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            try await bench.post("old")
            #expect(try await story.notification().title == "old")
            await bench.double.disconnect(BlueZBench.phone)
            try await story.until("1 disconnected")
            await bench.double.connect(BlueZBench.phone, isResolved: false)
            try await bench.post("new")
            try await story.until("2 connected")
            await bench.double.resolve(BlueZBench.phone)
            try await story.until("2 session")
            let titles = [
                try await story.notification().title, try await story.notification().title,
            ]
            #expect(titles.sorted() == ["new", "old"])
            await story.consumer.stop()
        }
    }

    @Test func datesHaveTheOffsetThatThePhoneSays() async throws {
        try await BlueZBench.run { bench in
            let now: [UInt8] = [0xEA, 0x07, 11, 21, 12, 0, 0, 6, 0, 0]
            try await bench.double.addPairedPhone()
            await bench.double.addClock(time: now, zone: [36, 0], to: BlueZBench.phone)
            let story = try await bench.start()
            await bench.double.connect(BlueZBench.phone)
            try await story.until("1 session")
            try await bench.post("first")
            #expect(try await story.notification().isPreExisting == false)
            await bench.wait(for: "StartNotify char0021")
            try await bench.post("second")
            #expect(try await story.notification().utcOffset?.description == "+09:00")
            await story.consumer.stop()
        }
    }

    @Test func aCallIsDeclined() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            let call = ProviderNotification(
                appIdentifier: try AppIdentifier("com.apple.mobilephone"),
                categoryID: .incomingCall, title: "Anna", positiveActionLabel: "Answer",
                negativeActionLabel: "Decline")
            try await bench.double.post([call], on: BlueZBench.phone)
            let notification = try await story.notification()
            try await story.consumer.perform(.negative, on: notification)
            #expect(await bench.double.phones[BlueZBench.phone]?.performed == [.negative])
            // The phone refuses what it has not, with its own error.
            let unknown = NotificationUID(rawValue: 77)
            await #expect(throws: RequestError.self) {
                try await story.consumer.attributes(
                    of: unknown, [.title], in: notification.session)
            }
            await story.consumer.stop()
        }
    }

    @Test func aRequestIsOverWithTheLinkThatItWasMadeOn() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            try await bench.post("Anna")
            let notification = try await story.notification()
            await bench.double.ignore("WriteValue char0014")
            let request = Task { [consumer = story.consumer] in
                try await consumer.attributes(
                    of: notification.uid, [.title], in: notification.session)
            }
            await bench.wait { $0.hasIgnored("WriteValue char0014") }
            await bench.double.disconnect(BlueZBench.phone)
            try await story.until("1 disconnected")
            await #expect(throws: RequestError.self) { try await request.value }
            await #expect(throws: RequestError.self) {
                try await story.consumer.perform(.negative, on: notification)
            }
            await bench.double.stopIgnoring("WriteValue char0014")
            await bench.double.connect(BlueZBench.phone)
            #expect(try await story.notification().title == "Anna")
            await story.consumer.stop()
        }
    }

    @Test func aPhoneThatIsLeftKeepsItsLinkAndIsNotTakenAgainBeforeItComesBack() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await story.consumer.disconnect(PhoneID(rawValue: 1))
            // Again, and of a phone that never was.
            await story.consumer.disconnect(PhoneID(rawValue: 1))
            await story.consumer.disconnect(PhoneID(rawValue: 9))
            let event = try await story.until("1 disconnected")
            guard case .peer(_, .disconnected(.left)) = event else {
                Issue.record("it ended otherwise")
                return
            }
            await bench.double.resolve(BlueZBench.phone)
            await bench.double.disconnect(BlueZBench.phone)
            await bench.double.connect(BlueZBench.phone)
            try await story.until("2 session")
            #expect(await bench.double.count(of: "Disconnect dev_1") == 0)
            await story.consumer.stop()
        }
    }

    @Test func noSignalHasTheTextsOfNotifications() async throws {
        try await BlueZBench.run { bench in
            let listener = try await bench.bus.connect()
            let (_, signals) = await listener.signals(BusMatch())
            let story = try await bench.serve()
            try await bench.post("Anna", message: "a secret")
            #expect(try await story.notification().message == "a secret")
            await story.consumer.stop()
            try await bench.bus.connect().emit(BusSignal("/test", "org.test.Interface", "End"))
            var texts: [String] = []
            for await signal in signals {
                if signal.member == "End" { break }
                texts.append("\(signal)")
            }
            #expect(!texts.isEmpty)
            #expect(!texts.contains { $0.contains(Self.octets(of: "secret")) })
        }
    }

    private static func octets(of text: String) -> String {
        Array(text.utf8).map { "\($0)" }.joined(separator: ", ")
    }

    static let refusals = [
        (BusError.blueZ("Failed", "Failed to subscribe"), "Failed to subscribe"),
        (.blueZ("InProgress", "In Progress"), "stop that program"),
    ]

    /// Not even where bluetoothd refuses the socket for them.
    @Test(arguments: refusals)
    func withoutASocketThereAreNoTextsAndTheUserIsToldWhatToDo(
        _ error: BusError, _ word: String
    ) async throws {
        try await BlueZBench.run { bench in
            await bench.double.refuse("AcquireNotify char0016", with: error)
            let story = try await bench.start()
            try await bench.double.connectNewPhone()
            let warning = try await story.warning(.subscription)
            #expect(warning.contains(word) && warning.contains("'texts-on-bus = true'"))
            try await story.until("1 session")
            try await bench.post("Anna", message: "a secret")
            #expect(try await story.notification().title.isEmpty)
            await story.consumer.stop()
            #expect(await bench.double.count(of: "StartNotify char0016") == 0)
            #expect(await bench.double.count(of: "WriteValue char0014") == 0)
        }
    }

    @Test func anotherProgramThatHasTheSocketIsNamed() async throws {
        try await BlueZBench.run { bench in
            let first = try await bench.serve()
            // As after the last attempt, without waiting for it.
            await bench.double.refuse(
                "AcquireNotify char0016", with: .blueZ("NotPermitted", "Not permitted"))
            let second = Story(of: try bench.consumer(textsOnBus: true))
            await second.consumer.start()
            #expect(try await second.warning(.subscription).contains("another program"))
            await second.consumer.stop()
            // The first one is not disturbed by the end of the second.
            try await bench.post("Anna")
            #expect(try await first.notification().title == "Anna")
            await first.consumer.stop()
            #expect(await bench.double.count(of: "Disconnect dev_1") == 0)
        }
    }

    @Test func servicesThatGoAndComeBackAreASessionOfTheirOwn() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await bench.double.removeServices(of: BlueZBench.phone)
            try await story.until("1 session over, service gone")
            await bench.double.run { double in
                for phone in double.phones.values { double.addServices(to: phone) }
            }
            try await story.until("1 session")
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            await story.consumer.stop()
        }
    }

    @Test func valuesThatAreNoneDoNotEndASocket() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            for count in [513, 0, 60_000, 512, 1] {
                await bench.double.sendData([UInt8](repeating: 0xFF, count: count))
            }
            try await bench.post("Anna", message: "after it")
            #expect(try await story.notification().message == "after it")
            #expect(!story.lines.contains("1 session over"))
            await story.consumer.stop()
            #expect(await bench.double.count(of: "AcquireNotify char0016") == 1)
        }
    }

    @Test func aSocketThatHangsUpIsAcquiredAnew() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await bench.double.hangUp()
            await bench.wait(for: "AcquireNotify char0016", count: 2)
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            #expect(!story.lines.contains { $0.contains("over") })
            await story.consumer.stop()
        }
    }
}
