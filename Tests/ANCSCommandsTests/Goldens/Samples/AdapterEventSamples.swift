import BluetoothLE

@testable import ANCSCommands
@testable import ANCSKit

enum AdapterEventKind: String, CaseIterable {
    case listening, stateChanged, connected, disconnected, secured, pairingWindow, pairing, paired
    case bondRestored, securityFailed, identified, advertising, warning, missed
}

extension AdapterEvent: Sampled {
    var kind: AdapterEventKind {
        switch self {
        case .listening: .listening
        case .stateChanged: .stateChanged
        case .connected: .connected
        case .disconnected: .disconnected
        case .secured: .secured
        case .pairingWindow: .pairingWindow
        case .pairing: .pairing
        case .paired: .paired
        case .bondRestored: .bondRestored
        case .securityFailed: .securityFailed
        case .identified: .identified
        case .advertising: .advertising
        case .warning: .warning
        case .missed: .missed
        }
    }

    static func samples(of kind: AdapterEventKind) -> [AdapterEvent] {
        switch kind {
        case .listening: [.listening(at: "unix-server:/run/" + Samples.hostile)]
        case .stateChanged:
            [
                .stateChanged(.unknown, nil), .stateChanged(.poweredOn, nil),
                .stateChanged(.resetting, .unresponsive), .stateChanged(.resetting, nil),
                .stateChanged(.unsupported, .failsRepeatedly), .stateChanged(.poweredOff, nil),
            ]
        case .connected: [.connected(Samples.peer)]
        case .disconnected:
            Samples.disconnectReasons.prefix(3).map { .disconnected(Samples.peer, $0) }
        case .secured: Samples.protections.map { .secured(Samples.peer, $0) }
        case .pairingWindow: [true, false].map { .pairingWindow(isOpen: $0) }
        case .pairing: Samples.pairingRequests.map { .pairing(Samples.peer, $0) }
        case .paired: [.paired(Samples.peer)]
        case .bondRestored: [.bondRestored(Samples.peer)]
        case .securityFailed:
            Samples.securityFailures.prefix(3).map { .securityFailed(Samples.peer, $0) }
        case .identified: [.identified(Samples.peer, as: Samples.otherPeer)]
        case .advertising: [true, false].map { .advertising($0) }
        case .warning: [.warning(Samples.warning)]
        case .missed: [.missed(1), .missed(3)]
        }
    }
}

enum BindingEventKind: String, CaseIterable {
    case stateChanged, bound, unbound, justUnbound, accessoryUnknown, warning, missed
}

extension AccessoryBinding.Event: Sampled {
    var kind: BindingEventKind {
        switch self {
        case .stateChanged: .stateChanged
        case .bound: .bound
        case .unbound: .unbound
        case .justUnbound: .justUnbound
        case .accessoryUnknown: .accessoryUnknown
        case .warning: .warning
        case .missed: .missed
        }
    }

    static func samples(of kind: BindingEventKind) -> [Self] {
        switch kind {
        case .stateChanged:
            [
                .unbound, .justUnbound, .bound(Samples.peer), .searching,
                .connecting(Samples.peer), .connected(Samples.peer),
            ].map { .stateChanged($0) }
        case .bound: [nil, Samples.hostile].map { .bound(Samples.peer, name: $0) }
        case .unbound: [.unbound]
        case .justUnbound: [.justUnbound]
        case .accessoryUnknown: [.accessoryUnknown(Samples.peer)]
        case .warning: [.warning(Samples.warning)]
        case .missed: [.missed(1), .missed(3)]
        }
    }
}
