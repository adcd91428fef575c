internal import ANCSKit
internal import ANCSProvider
internal import BluetoothLE
internal import Octets
internal import Terminal

// What a report says of the events before a failure, unless its caller has words of its own. No content of
// notifications is in them.
extension ProviderEvent {
    /// The event in a line; what came over the air is not made safe.
    var words: String {
        switch self {
        case .device(let event): event.words
        case .peer(_, let event): event.words
        case .link(_, let event): event.text
        case .session(_, let event): event.words
        case .notification(let change, let id): "notification \(id.rawValue) \(change)"
        }
    }
}

extension DeviceEvent {
    fileprivate var words: String {
        switch self {
        case .listening(let place): "waiting for a controller at \(place)"
        case .ready: "the phone is ready"
        case .resetting(let failure): failure.message
        case .advertising(let isOnAir): isOnAir ? "advertising" : "not advertising"
        case .scanning(let isScanning): isScanning ? "scanning" : "not scanning"
        case .resumed: "resumed"
        case .pairingWindow(let isOpen): isOpen ? "pairing is open" : "pairing is closed"
        case .warning(let warning): warning.message
        case .missed(let count): droppedText(count)
        }
    }
}

extension PeerEvent {
    fileprivate var words: String {
        switch self {
        case .discovered(let peer): "found \(peer.words)"
        case .connectingFailed(let error): "connecting failed: \(error.message)"
        case .connected(let peer): "connected to \(peer.words)"
        case .named(let name): "its name is \(name)"
        case .linkParameters(let link): "its link has \(link.message)"
        case .mtuChanged(let mtu): "ATT_MTU is \(mtu)"
        case .secured(let link): link.isEncrypted ? "encrypted" : "no longer encrypted"
        case .pairing: "pairing asks the user"
        case .pairingWithdrawn: "pairing asks no more"
        case .paired(_, let isBonded, _): isBonded ? "paired" : "paired without bonding"
        case .bondRestored: "encrypted with the keys of an earlier pairing"
        case .identified: "it is a known accessory"
        case .pairingRefused: "it may not pair"
        case .keyTrouble(let trouble): "its keys do not work: \(trouble.kind.name)"
        case .securityFailed(let failure): failure.message
        case .accessDenied(let handle, let code):
            "was refused access to handle \(AccessRefusal(handle, code).text)"
        case .disconnected(let reason): "disconnected: \(reason.message)"
        }
    }
}

extension PeerDescription {
    fileprivate var words: String { (identity ?? address) + (name.map { " \"\($0)\"" } ?? "") }
}

extension ProviderEvent.SessionEvent {
    fileprivate var words: String {
        switch self {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            subscriptionText(isSubscribed, SubscribedCharacteristic(characteristic).text)
        case .serviceChangedSubscription(let isSubscribed):
            subscriptionText(isSubscribed, SubscribedCharacteristic.serviceChanged.text)
        case .attributeRead(let attribute): "read \(attribute.text)"
        case .attributeSubscription(let attribute, let isSubscribed):
            subscriptionText(isSubscribed, attribute.text)
        case .started: "the session started"
        case .ended: "the session ended"
        case .announced(_, let source): "announced: UID \(source.notificationUID) \(source.eventID)"
        case .command(let command): command.text
        case .commandWithoutResponse(let octets): "a Write Command (\(octets.hexText))"
        case .answered(let command, let outcome): "\(command.text): \(outcome.words)"
        case .action(let request, let isPerformed):
            "\(request.actionID) action of UID \(request.notificationUID) "
                + (isPerformed ? "performed" : "not performed")
        }
    }
}

extension ProviderSession.Outcome {
    fileprivate var words: String {
        switch self {
        case .sent(let octets): "answered with \(counted(octets, "octet"))"
        case .withheld: "not answered"
        case .performed: "performed"
        case .refused(let error): "refused with \(error.code.nameWithCode)"
        case .ignored: "no response"
        case .abandoned(let octets): "abandoned after \(counted(octets, "octet"))"
        }
    }
}
