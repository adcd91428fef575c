import ANCS
import BlueZ
import BlueZTestKit
import DBus
import DBusTestKit
import Foundation
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// bluetoothd ends when it is asked for the socket for texts.
@Suite struct BlueZSocketTests {
    private static let call = "AcquireNotify char0016"

    /// A machine whose SELinux enforces a policy, and a place for what is kept.
    private struct Machine {
        let directory: TemporaryDirectory
        var state: String { directory.path + "/state" }
        var file: String { state + "/bluetoothd.json" }

        init() throws {
            directory = try TemporaryDirectory()
            let folder = directory.path + "/sys/fs/selinux"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try "1".write(toFile: folder + "/enforce", atomically: true, encoding: .utf8)
        }

        /// A consumer of this machine that is on air, and what it tells.
        func start(
            _ bench: BlueZBench, textsOnBus: Bool = false, before line: String = "on air"
        ) async throws -> Story {
            let configuration = ConsumerConfiguration(name: "desk lamp")
            let place = BlueZConfiguration(
                adapter: .any, ability: .noInputNoOutput, window: .untilPhoneIsBonded,
                allowsTextsOnBus: textsOnBus, state: state)
            let story = Story(
                of: NotificationConsumer(
                    configuration,
                    try place.access(
                        for: configuration, on: bench.loop, bus: .address(bench.bus.address),
                        root: directory.path)))
            await story.consumer.start()
            try await story.until(line)
            return story
        }
    }

    @Test func itIsAskedOnceThenNeverAgainNotEvenByTheNextRun() async throws {
        let machine = try Machine()
        try await BlueZBench.run { bench in
            await bench.double.end(at: Self.call)
            try await bench.double.addPairedPhone()
            let first = try await machine.start(bench)
            await bench.double.connect(BlueZBench.phone)
            try await first.until("resetting")
            try await bench.double.restart()
            try await first.until("ready")
            await bench.double.connect(BlueZBench.phone)
            let warning = try await first.warning(.bluetoothd)
            #expect(warning == SocketAdvice.waits(isEnforcing: true))
            #expect(warning.contains("SELinux") && warning.contains("texts-on-bus = true"))
            await first.consumer.stop()
            #expect(await first.end() == nil)
            let attributes = try FileManager.default.attributesOfItem(atPath: machine.file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            // With the phone that is still connected, nobody else is let in.
            let second = try await machine.start(bench, before: "ready")
            #expect(try await second.warning(.bluetoothd) == warning)
            await second.consumer.stop()
            #expect(await second.end() == nil)
            #expect(!second.lines.contains("1 session"))
            #expect(await bench.double.count(of: Self.call) == 1)
        }
    }

    @Test func textsComeOverTheBusWhereThatIsAllowed() async throws {
        let machine = try Machine()
        try DaemonMemory(directory: machine.state).write([
            .init(.init(selinux: .init(isEnforcing: true)), count: 1, age: .zero)
        ])
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let story = try await machine.start(bench, textsOnBus: true)
            await bench.double.connect(BlueZBench.phone)
            #expect(try await story.warning(.privacy).contains("dbus-monitor"))
            try await story.until("1 session")
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            #expect(await bench.double.count(of: Self.call) == 0)
            await story.consumer.stop()
        }
    }

    @Test func aUserWhoAllowsItIsWarnedThatOthersCanReadTheTexts() async throws {
        let machine = try Machine()
        try await BlueZBench.run { bench in
            await bench.double.refuse(
                Self.call, with: .blueZ("NotSupported", "Operation is not supported"))
            let story = try await machine.start(bench, textsOnBus: true)
            try await bench.double.connectNewPhone()
            #expect(
                try await story.warning(.privacy).contains("Operation is not supported"))
            try await story.until("1 session")
            try await bench.post("Anna", message: "no secret")
            #expect(try await story.notification().message == "no secret")
            await story.consumer.stop()
            // Before 5.84 that would be a use after free; the subscription ends with the connection to the bus.
            #expect(await bench.double.count(of: "StopNotify char0016") == 0)
            #expect(await bench.double.count(of: "StopNotify char0011") == 1)
            await bench.wait { $0.clients.isEmpty }
        }
    }

    @Test func aDamagedFileIsAWarningAndNoMore() async throws {
        let machine = try Machine()
        try PrivateFile.write(path: machine.file, contents: Array("{\"version\":1}".utf8))
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let story = try await machine.start(bench)
            #expect(
                story.events.contains { event in
                    guard case .device(.warning(let warning)) = event else { return false }
                    return warning.topic == .storage && warning.message.contains("is damaged")
                })
            await bench.double.connect(BlueZBench.phone)
            try await story.until("1 session")
            await story.consumer.stop()
        }
    }

    @Test func whatCannotBeKeptIsAWarningAndCountsForThisRun() async throws {
        let machine = try Machine()
        // A file where the directory would be.
        try "".write(toFile: machine.state, atomically: true, encoding: .utf8)
        try await BlueZBench.run { bench in
            await bench.double.end(at: Self.call)
            try await bench.double.addPairedPhone()
            let story = try await machine.start(bench)
            await bench.double.connect(BlueZBench.phone)
            #expect(try await story.warning(.storage).contains("will not be remembered"))
            try await bench.double.restart()
            try await story.until("ready")
            await bench.double.connect(BlueZBench.phone)
            #expect(try await story.warning(.bluetoothd).contains("SELinux"))
            #expect(await bench.double.count(of: Self.call) == 1)
            await story.consumer.stop()
        }
    }
}
