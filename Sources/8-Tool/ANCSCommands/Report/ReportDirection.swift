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

    /// Whether the phone begins it.
    var isOfPhone: Bool { self == .phone || self == .toAccessory }
}

extension ProviderEvent {
    /// Which side did it. The rest of a peer's events are of the link, and an accessory begins the rest of what
    /// happens on a link or in a session.
    var direction: ReportDirection {
        switch self {
        case .peer(_, .discovered), .peer(_, .named), .peer(_, .accessDenied): .toPhone
        case .peer(_, .connected), .peer(_, .linkParameters), .link(_, .parametersUpdated),
            .session(_, .announced), .session(_, .answered):
            .toAccessory
        case .peer(_, .connectingFailed), .peer(_, .pairing), .peer(_, .pairingWithdrawn),
            .peer(_, .pairingRefused), .peer(_, .identified), .link(_, .phoneAddressChanged),
            .session(_, .action), .device, .notification:
            .phone
        case .session(_, .media(.offered)), .session(_, .media(.updated)): .toAccessory
        // A subscription also ends with the service.
        case .session(_, .started), .session(_, .ended), .peer,
            .session(_, .subscriptionChanged(_, false)),
            .session(_, .media(.subscriptionChanged(_, false))):
            .link
        case .link, .session: .toPhone
        }
    }
}
