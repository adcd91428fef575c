import AMS
import ANCS
@testable import ANCSService
import LinuxIO

/// A daemon that only writes down what a sink says. On its loop only.
final class SilentControl: ServiceControl, @unchecked Sendable {
    // Unchecked: on the loop's thread only.

    let loop: EventLoop
    var records: [Record] = []
    var phones: [PhoneStatus] = []
    let calls: [(record: Record, isActive: Bool)] = []
    private(set) var messages: [String] = []

    init(loop: EventLoop) { self.loop = loop }

    func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        reply(.failure(ServiceError(.unknownRecord, "there are no records here")))
    }

    func send(
        _ command: RemoteCommandID, to digest: String,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        reply(.failure(ServiceError(.notConnected, "there are no phones here")))
    }

    func answerPairing(
        of digest: String, _ answer: PairingAnswer, about digits: String?
    ) throws(ServiceError) {
        throw ServiceError(.notAllowed, "nothing is asked here")
    }

    func log(_ message: String) { messages.append(message) }
}
