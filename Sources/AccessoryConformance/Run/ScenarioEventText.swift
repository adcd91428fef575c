internal import Terminal
internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension ProviderEvent {
    /// The event in one line for users. It contains no content of notifications.
    package var text: String {
        switch self {
        case .device(let event): event.text
        case .peer(_, let event): event.text
        case .session(_, let event): event.text
        case .notification(let event, _): "a notification of the phone: \(event)"
        }
    }
}

extension DeviceEvent {
    fileprivate var text: String {
        switch self {
        case .listening(let place): "waiting for a controller at \(place)"
        case .ready: "the controller is ready"
        case .resetting(let failure): "the controller is reset: \(failure.message)"
        case .advertising(let isOn): isOn ? "advertising" : "not advertising"
        case .scanning(let isOn): isOn ? "looking for accessories" : "not looking for accessories"
        case .resumed: "the machine was suspended"
        case .pairingWindow(let isOpen): isOpen ? "pairing is open" : "pairing is closed"
        case .warning(let warning): warning.message
        case .missed(let count): droppedText(count)
        }
    }
}

extension PeerEvent {
    fileprivate var text: String {
        switch self {
        case .discovered(let description): "on air: \(description.text)"
        case .connectingFailed(let error): "connecting failed: \(error.message)"
        case .connected(let description): "connected: \(description.text)"
        case .named(let name): "its name is \"\(name)\""
        case .linkParameters(let link): "the link has \(link.message)"
        case .mtuChanged(let mtu): "ATT_MTU \(mtu)"
        case .secured(let protection): protection.isEncrypted ? "encrypted" : "no longer encrypted"
        case .pairing: "pairing asks the user"
        case .pairingWithdrawn: "pairing asks no more"
        case .paired(_, let isBonded, _): isBonded ? "paired" : "paired without bonding"
        case .bondRestored: "the bond is in use"
        case .identified: "it is known from before"
        case .pairingRefused: "it may not pair"
        case .keyTrouble(let trouble): "its keys do not work: \(trouble.kind.name)"
        case .securityFailed(let failure): "not secured: \(failure.message)"
        case .accessDenied(let handle, let code):
            "refused to access handle \(AccessRefusal(handle, code).text)"
        case .disconnected(let reason): "disconnected: \(reason.message)"
        }
    }
}

extension ProviderEvent.SessionEvent {
    fileprivate var text: String {
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
        case .announced(_, let source):
            "announced: UID \(source.notificationUID) \(source.eventID)"
        case .command(let command): command.text
        case .commandWithoutResponse(let octets):
            "a Write Command, which is ignored (\(octets.hexText))"
        case .answered(let command, let outcome): "answer to \(command.name): \(outcome.text)"
        case .action(let request, let isPerformed):
            "\(request.actionID) action of UID \(request.notificationUID) "
                + (isPerformed ? "performed" : "not performed")
        }
    }
}

extension PeerDescription {
    fileprivate var text: String {
        address + (name.map { " \"\($0)\"" } ?? "")
    }
}

extension ProviderSession.Command {
    /// The name of the command alone.
    fileprivate var name: String {
        switch self {
        case .decoded(let command): command.commandID.description
        case .malformed: "a value that is not a command"
        }
    }
}

extension ProviderSession.Outcome {
    fileprivate var text: String {
        switch self {
        case .sent(let octets): counted(octets, "octet")
        case .withheld: "none"
        case .performed: "performed"
        case .refused(let error): error.code.nameWithCode
        case .ignored: "no response"
        case .abandoned(let octets): "abandoned after \(counted(octets, "octet"))"
        }
    }
}
