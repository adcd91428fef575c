@testable import ANCSEvents
@testable import ANCSKit

/// An adapter has no sessions.
enum NoSessionEventKind: CaseIterable, RawRepresentable, Hashable {
    init?(rawValue: String) { nil }
    var rawValue: String { "" }
}

extension AdapterEvent: Sampled {
    var kind: TopicKind<NoSessionEventKind> {
        switch self {
        case .device(let event): .device(event.kind)
        case .peer(_, let event): .peer(event.kind)
        }
    }

    static func samples(of kind: TopicKind<NoSessionEventKind>) -> [AdapterEvent] {
        switch kind {
        case .device(let kind): DeviceEvent.samples(of: kind).map { .device($0) }
        case .peer(let kind): PeerEvent.samples(of: kind).map { .peer(Samples.peer, $0) }
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
