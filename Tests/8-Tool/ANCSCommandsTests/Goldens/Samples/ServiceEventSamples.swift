import ANCS
import LinuxIO

@testable import ANCSEvents
@testable import ANCSReceiver
@testable import ANCSService

enum ServiceEventKind: String, CaseIterable {
    case announced, added, modified, removed, call, phone, pairing, pairingStep, pairingWindow,
        state
    case forgotten
}

extension ServiceEvent: Sampled {
    private static let phoneName = PhoneName(digest: Samples.digest, name: "Ada's iPhone")

    private static func record(
        _ delivery: NotificationFeed.Delivery, _ change: (inout Record) -> Void = { _ in }
    ) -> Record {
        var record = Record(
            id: RecordID(rawValue: 0x0123_4567_89AB_CDEF), phone: phoneName,
            notification: ReceivedNotification(
                delivery,
                session: SessionID(provider: PhoneID(rawValue: 1), number: 1)),
            time: CaptureTime(microsecondsSince1970: 1_795_253_400_000_000))
        change(&record)
        return record
    }

    var kind: ServiceEventKind {
        switch self {
        case .announced: .announced
        case .added: .added
        case .modified: .modified
        case .removed: .removed
        case .call: .call
        case .phone: .phone
        case .pairing: .pairing
        case .pairingStep: .pairingStep
        case .pairingWindow: .pairingWindow
        case .state: .state
        case .forgotten: .forgotten
        }
    }

    static func samples(of kind: ServiceEventKind) -> [ServiceEvent] {
        let call = record(NotificationSamples.call)
        return switch kind {
        case .announced: [.announced(record(.init(source: NotificationSamples.call.source)))]
        case .added:
            NotificationSamples.all.filter { $0.source.eventID == .added }
                .map { .added(record($0)) }
                + [
                    .added(
                        record(NotificationSamples.call) { record in
                            record.sameAs = RecordID(rawValue: 1)
                            record.code = "123456"
                            record.verdict.rule = "codes"
                        }),
                    .added(record(NotificationSamples.call) { $0.verdict.isMuted = true }),
                ]
        case .modified: [.modified(call)]
        case .removed:
            [.removed(call, .removed), .removed(call, .away), .removed(call, .replaced)]
        case .call:
            [.call(call, .incoming), .call(call, .answered)]
                + CallOutcome.allCases.map { outcome in
                    .call(record(NotificationSamples.call) { $0.outcome = outcome }, .ended)
                }
        case .phone:
            PhoneStatus.State.allCases.map {
                .phone(PhoneStatus(phone: phoneName, state: $0, isPaired: true))
            }
        case .pairing:
            [nil, .display("000042"), .compare("999999"), .enter, .consent, .accept("BLE lamp")]
                .map { .pairing(phoneName, $0) }
        case .pairingStep: [.pairingStep(PairingStep.Kind.onAir.sample, 1)]
        case .pairingWindow: [true, false].map { .pairingWindow(isOpen: $0) }
        case .state:
            [ServiceState.Phase.waitingForAdapter, .running, .onAir, .stopping]
                .map { .state(ServiceState($0, "a message")) }
        case .forgotten: [.forgotten(phoneName)]
        }
    }
}
