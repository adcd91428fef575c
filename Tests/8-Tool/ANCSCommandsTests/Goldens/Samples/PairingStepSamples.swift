import ANCSEvents
import ANCSService
import BluetoothTypes

enum PairingStepKind: String, CaseIterable {
    case opened, alreadyReceiving, onAir, offAir, obstacle, connected, crowd, asks, noDigits
    case declined, failed, paired, noService, consentMissing, silent, keyTrouble, adapterFailed
    case otherApp, hesitation, otherCauses, ended
}

extension PairingStep.Kind: Sampled {
    private static let setting = PairingSetting(
        name: "Desk", place: "hci0 of bluetoothd", again: "run 'ancs pair' again",
        acceptance: "set require = \"none\"")

    private static let earlier = PhoneName(digest: Samples.digest, name: "Bo's iPhone")

    var kind: PairingStepKind {
        switch self {
        case .opened: .opened
        case .alreadyReceiving: .alreadyReceiving
        case .onAir: .onAir
        case .offAir: .offAir
        case .obstacle: .obstacle
        case .connected: .connected
        case .crowd: .crowd
        case .asks: .asks
        case .noDigits: .noDigits
        case .declined: .declined
        case .failed: .failed
        case .paired: .paired
        case .noService: .noService
        case .consentMissing: .consentMissing
        case .silent: .silent
        case .keyTrouble: .keyTrouble
        case .adapterFailed: .adapterFailed
        case .otherApp: .otherApp
        case .hesitation: .hesitation
        case .otherCauses: .otherCauses
        case .ended: .ended
        }
    }

    /// A step of this kind.
    var sample: PairingStep {
        let phone = PhoneName(digest: Samples.digest, name: "Ada's iPhone")
        return PairingStep(self, of: isAboutPhone ? phone : nil, at: Self.setting)
    }

    /// Whether such a step has a phone that is no stranger.
    private var isAboutPhone: Bool {
        switch self {
        case .paired, .noService, .consentMissing, .silent, .asks(.accept),
            .ended(.failed(.unaccepted)), .ended(.receiving),
            .ended(.failed(.consentMissing)), .ended(.failed(.noService)),
            .ended(.failed(.silent)), .ended(.failed(.left)), .ended(.failed(.unfinished)):
            true
        default: false
        }
    }

    static func samples(of kind: PairingStepKind) -> [PairingStep.Kind] {
        switch kind {
        case .opened: [.opened(seconds: 120)]
        case .alreadyReceiving: [.alreadyReceiving([earlier])]
        case .onAir: [.onAir]
        case .offAir: [.offAir]
        case .obstacle: [.obstacle("hci0 is discoverable: close the desktop's Bluetooth settings")]
        case .connected: [.connected]
        case .crowd: [.crowd(10)]
        case .asks:
            [.asks(.display), .asks(.compare), .asks(.enter), .asks(.consent), .asks(.accept)]
        case .noDigits: [.noDigits]
        case .declined: [.declined]
        case .failed: [.failed(.timedOut)]
        case .paired: [.paired(replaced: nil), .paired(replaced: earlier)]
        case .noService: [.noService]
        case .consentMissing: [.consentMissing]
        case .silent: [.silent]
        case .keyTrouble: [.keyTrouble("its keys do not fit")]
        case .adapterFailed: [.adapterFailed("bluetoothd is not running")]
        case .otherApp: [.otherApp]
        case .hesitation: [.hesitation(1), .hesitation(3)]
        case .otherCauses: [.otherCauses]
        case .ended: [.ended(.receiving)] + causes.map { .ended(.failed($0)) }
        }
    }

    private static let causes: [PairingCause] = [
        .closed, .adapterGone("bluetoothd is not running"), .consentMissing, .noService, .silent,
        .left, .unfinished, .keyTrouble("its keys do not fit"), .declined, .unanswered,
        .failed(.timedOut), .noDigits, .neverPaired(1), .neverPaired(3), .notOnAir,
        .unaccepted, .noDevice(receiving: []), .noDevice(receiving: [earlier]),
    ]
}
