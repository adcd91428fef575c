import AMS
import ANCS
@testable import ANCSService
import DBusTestKit
import LinuxIO

/// A daemon that writes down what a person wanted, and does it.
final class DesktopControl: ServiceControl, @unchecked Sendable {
    // Unchecked: the boxes may be read from anywhere, and are written on the loop's thread only.

    let loop: EventLoop
    let records: [Record] = []
    var phones: [PhoneStatus] = []
    let calls: [(record: Record, isActive: Bool)] = []
    let performed = Box<[DesktopNotifications.Output]>([])
    let messages = Box<[String]>([])
    /// The commands for players of phones.
    let sent = Box<[RemoteCommandID]>([])

    init(on loop: EventLoop) { self.loop = loop }

    func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        performed.value.append(.perform(id, action))
        loop.execute { reply(.success(())) }
    }

    func send(
        _ command: RemoteCommandID, to digest: String,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        sent.value.append(command)
        loop.execute { reply(.success(())) }
    }

    func answerPairing(
        of digest: String, _ answer: PairingAnswer, about digits: String?
    ) throws(ServiceError) {
        performed.value.append(.answer(digest, answer))
    }

    func log(_ message: String) { messages.value.append(message) }
}

/// A sink of popups, from outside of its loop.
struct DesktopSinkHandle: Sendable {
    let sink: DesktopSink
    let control: DesktopControl

    var performed: [DesktopNotifications.Output] { control.performed.value }

    func run<Value: Sendable>(_ body: @escaping @Sendable (DesktopSink) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            control.loop.execute { [sink] in continuation.resume(returning: body(sink)) }
        }
    }

    func receive(_ event: ServiceEvent) async { await run { $0.receive(event) } }

    func close() async {
        await withCheckedContinuation { continuation in
            control.loop.execute { [sink] in sink.close { continuation.resume() } }
        }
    }

    /// Waits until something is so, for half a minute at most.
    func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1500 {
            if try await condition() { return true }
            try await control.loop.sleep(for: .milliseconds(20))
        }
        return false
    }
}
