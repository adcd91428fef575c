import BluetoothTypes

@testable import ANCSEvents

// Samples of the topics that the events of consumers, providers and adapters share. Each of them is shown by each
// report, also what never happens to it.

enum DeviceEventKind: String, CaseIterable {
    case listening, ready, resetting, advertising, scanning, resumed, pairingWindow, warning, missed
}

extension DeviceEvent: Sampled {
    var kind: DeviceEventKind {
        switch self {
        case .listening: .listening
        case .ready: .ready
        case .resetting: .resetting
        case .advertising: .advertising
        case .scanning: .scanning
        case .resumed: .resumed
        case .pairingWindow: .pairingWindow
        case .warning: .warning
        case .missed: .missed
        }
    }

    static func samples(of kind: DeviceEventKind) -> [DeviceEvent] {
        switch kind {
        case .listening: [.listening(at: "unix-server:/run/" + Samples.hostile)]
        case .ready: [.ready]
        case .resetting: Samples.controllerFailures.prefix(4).map { .resetting($0) }
        case .advertising: [.advertising(true), .advertising(false)]
        case .scanning: [.scanning(true), .scanning(false)]
        case .resumed: [.resumed]
        case .pairingWindow: [.pairingWindow(isOpen: true), .pairingWindow(isOpen: false)]
        case .warning: [.warning(Samples.warning)]
        case .missed: [.missed(1), .missed(3)]
        }
    }
}

enum PeerEventKind: String, CaseIterable {
    case discovered, connectingFailed, connected, named, linkParameters, mtuChanged, secured,
        pairing
    case pairingWithdrawn, paired, bondRestored, identified, pairingRefused, keyTrouble
    case unserved, securityFailed, accessDenied, disconnected
}

extension PeerEvent: Sampled {
    static let stranger = PeerDescription(address: Samples.address, digest: Samples.digest)
    private static let anotherStranger = PeerDescription(
        address: Samples.address, digest: "ffeeddccbbaa9988")
    private static let friend = PeerDescription(
        address: Samples.address, identity: Samples.identity, digest: Samples.digest,
        link: Samples.link)
    private static let hostile = PeerDescription(
        name: Samples.hostile, address: Samples.address, identity: Samples.identity,
        digest: Samples.digest)
    private static let descriptions = [anotherStranger, friend, hostile]

    var kind: PeerEventKind {
        switch self {
        case .discovered: .discovered
        case .connectingFailed: .connectingFailed
        case .connected: .connected
        case .named: .named
        case .linkParameters: .linkParameters
        case .mtuChanged: .mtuChanged
        case .secured: .secured
        case .pairing: .pairing
        case .pairingWithdrawn: .pairingWithdrawn
        case .paired: .paired
        case .bondRestored: .bondRestored
        case .identified: .identified
        case .pairingRefused: .pairingRefused
        case .keyTrouble: .keyTrouble
        case .unserved: .unserved
        case .securityFailed: .securityFailed
        case .accessDenied: .accessDenied
        case .disconnected: .disconnected
        }
    }

    static func samples(of kind: PeerEventKind) -> [PeerEvent] {
        switch kind {
        case .discovered: descriptions.map { .discovered($0) }
        case .connectingFailed: Samples.bluetoothErrors.map { .connectingFailed($0) }
        case .connected: descriptions.map { .connected($0) }
        case .named: [.named(Samples.hostile)]
        case .linkParameters: [.linkParameters(Samples.link), .linkParameters(Samples.keptLink)]
        case .mtuChanged: [.mtuChanged(247)]
        case .secured: Samples.protections.map { .secured($0) }
        case .pairing: Samples.pairingRequests.map { .pairing($0) }
        case .pairingWithdrawn: [.pairingWithdrawn]
        case .paired:
            [
                nil, BondedPeer(digest: Samples.digest),
                .init(digest: Samples.digest, name: "Ada's"),
            ]
            .map { .paired(friend, isBonded: true, replacing: $0) }
                + [.paired(stranger, isBonded: false, replacing: nil)]
        case .bondRestored: [.bondRestored]
        case .identified: [.identified(formerly: Samples.otherPeer)]
        case .pairingRefused: [.pairingRefused]
        case .keyTrouble: KeyTrouble.all.map { .keyTrouble($0) }
        case .unserved: Unserved.allCases.map { .unserved($0) }
        case .securityFailed: Samples.securityFailures.prefix(3).map { .securityFailed($0) }
        case .accessDenied: [0x03, 0x05, 0x0F].map { .accessDenied(handle: 0x25, errorCode: $0) }
        case .disconnected: Samples.disconnectReasons.prefix(3).map { .disconnected($0) }
        }
    }
}

/// Which case of a topic an event is.
enum TopicKind<Session: RawRepresentable<String> & CaseIterable & Hashable>: Hashable,
    RawRepresentable, CaseIterable
{
    case device(DeviceEventKind)
    case peer(PeerEventKind)
    case session(Session)

    var rawValue: String {
        switch self {
        case .device(let kind): kind.rawValue
        case .peer(let kind): kind.rawValue
        case .session(let kind): kind.rawValue
        }
    }

    init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    static var allCases: [Self] {
        DeviceEventKind.allCases.map { .device($0) } + PeerEventKind.allCases.map { .peer($0) }
            + Session.allCases.map { .session($0) }
    }
}

extension KeyTrouble {
    /// Every kind, and whether it lasts.
    static let all: [KeyTrouble] = [Kind.missing, .different, .unknown].flatMap { kind in
        [false, true].map { KeyTrouble(kind, isLasting: $0) }
    }
}
