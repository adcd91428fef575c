internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension ProviderEvent {
    /// The event in one line for users. It contains no content of notifications.
    var text: String {
        switch self {
        case .listening(let place): "waiting for a controller at \(place)"
        case .ready: "the controller is ready"
        case .resetting(let failure): "the controller is reset: \(failure.message)"
        case .scanning(let isOn): isOn ? "looking for accessories" : "not looking for accessories"
        case .discovered(_, let description): "on air: \(description.text)"
        case .connectingFailed(_, let error): "connecting failed: \(error.message)"
        case .connected(_, let description): "connected: \(description.text)"
        case .secured(_, let protection):
            protection.isEncrypted ? "encrypted" : "no longer encrypted"
        case .pairing: "pairing asks the user"
        case .paired(_, let isBonded): isBonded ? "paired" : "paired without bonding"
        case .bondRestored: "the bond is in use"
        case .securityFailed(_, let failure): "not secured: \(failure.message)"
        case .accessDenied(_, let handle, let code):
            "refused to access handle \(AccessRefusal(handle, code).text)"
        case .mtuChanged(_, let mtu): "ATT_MTU \(mtu)"
        case .subscriptionChanged(_, let characteristic, let isSubscribed):
            subscriptionText(isSubscribed, SubscribedCharacteristic(characteristic).text)
        case .serviceChangedSubscription(_, let isSubscribed):
            subscriptionText(isSubscribed, SubscribedCharacteristic.serviceChanged.text)
        case .attributeRead(_, let attribute): "read \(attribute.text)"
        case .attributeSubscription(_, let attribute, let isSubscribed):
            subscriptionText(isSubscribed, attribute.text)
        case .sessionStarted: "the session started"
        case .sessionEnded: "the session ended"
        case .announced(_, _, let source):
            "announced: UID \(source.notificationUID) \(source.eventID)"
        case .command(_, let command): command.text
        case .commandWithoutResponse(_, let octets):
            "a Write Command, which is ignored (\(octets.hexText))"
        case .answered(_, let command, let outcome): "answer to \(command.name): \(outcome.text)"
        case .action(_, let request, let isPerformed):
            "\(request.actionID) action of UID \(request.notificationUID) "
                + (isPerformed ? "performed" : "not performed")
        case .notification(let event, _): "a notification of the phone: \(event)"
        case .disconnected(_, let reason): "disconnected: \(reason.message)"
        case .warning(let warning): warning.message
        case .missed(let count): droppedText(count)
        }
    }
}

extension AccessoryDescription {
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
