internal import ANCSKit

/// Which side of a link does something, as an axis of time shows it.
enum ReportDirection: Equatable, Sendable {
    /// The phone, by itself.
    case phone
    /// The phone sends it to an accessory.
    case toAccessory
    /// An accessory sends it to the phone.
    case toPhone
    /// It is of the link between them.
    case link
}

extension ProviderEvent {
    /// Which side did it.
    var direction: ReportDirection {
        switch self {
        case .device, .notification: .phone
        case .peer(_, let event): event.direction
        case .link(_, let event): event.direction
        case .session(_, let event): event.direction
        }
    }
}

extension PeerEvent {
    fileprivate var direction: ReportDirection {
        switch self {
        case .discovered, .named, .accessDenied: .toPhone
        case .connected, .linkParameters: .toAccessory
        case .connectingFailed, .pairing, .pairingWithdrawn, .pairingRefused, .identified: .phone
        case .mtuChanged, .secured, .paired, .bondRestored, .keyTrouble, .securityFailed,
            .disconnected:
            .link
        }
    }
}

extension ProviderEvent.LinkEvent {
    fileprivate var direction: ReportDirection {
        switch self {
        case .advertised, .parametersRequested, .servicesFound: .toPhone
        case .parametersUpdated: .toAccessory
        case .phoneAddressChanged: .phone
        }
    }
}

extension ProviderEvent.SessionEvent {
    fileprivate var direction: ReportDirection {
        switch self {
        case .subscriptionChanged, .serviceChangedSubscription, .attributeRead,
            .attributeSubscription, .command, .commandWithoutResponse:
            .toPhone
        case .announced, .answered: .toAccessory
        case .started, .ended: .link
        case .action: .phone
        }
    }
}
