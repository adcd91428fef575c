import ANCS
import BlueZTestKit
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

// Texts come by a socket, announcements by the bus, and nothing but bluetoothd's own order relates the two.
@Suite struct OvertakingTests {
    /// The answer and the removal reach the accessory in one turn of its loop, and the signal is taken first: it
    /// arrives by a timer that is due while the timer with the answer is served, before any descriptor is looked at.
    @Test func anAnswerThatWasSentBeforeARemovalIsReadBeforeIt() async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        // On the loop: time does not go on between the steps of the test.
        try await Task(executorPreference: loop) {
            let bus = VirtualBus(on: loop)
            let double = BlueZDouble(on: loop) { await bus.connection() }
            try await double.begin()
            try await double.addPairedPhone()
            var configuration = ConsumerConfiguration(name: "desk lamp")
            // It would ask the machine's controller.
            configuration.linkParameters = nil
            let connection = await bus.connection()
            let story = Story(
                of: try NotificationConsumer(
                    configuration, on: loop, window: .open, bus: connection))
            await story.consumer.start()
            try await story.until("on air")
            await double.connect(BlueZBench.phone)
            try await story.until("1 session")
            await double.removeWhenAnswered()
            try await double.post([.message("Anna", "at eight")], on: BlueZBench.phone)
            let notification = try await story.notification()
            #expect(notification.title == "Anna")
            #expect(notification.message == "at eight")
            await story.consumer.stop()
            await double.end()
        }.value
    }
}

extension BlueZDouble {
    /// A phone removes what it shows as soon as it has answered for its texts, in the same turn of the loop.
    fileprivate func removeWhenAnswered() {
        writeDelay = { _ in .milliseconds(20) }
        observer = { [weak self] phone, output in
            self?.assumeIsolated { double in
                guard case .answered(.decoded(.getNotificationAttributes), .sent) = output
                else { return }
                for id in phone.store.ids {
                    guard let change = try? phone.store.remove(id) else { continue }
                    double.storeChanged(change, at: phone)
                }
            }
        }
    }
}
