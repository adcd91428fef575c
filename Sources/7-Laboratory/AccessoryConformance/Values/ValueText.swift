internal import Printing
package import ANCSKit

extension Milestone {
    /// The awaited condition.
    package var text: String {
        switch self {
        case .connected: "connected"
        case .encrypted: "encrypted"
        case .paired: "paired"
        case .bonded: "paired with bonding"
        case .restored: "encrypted with the keys of an earlier pairing"
        case .session: "the session starts"
        case .subscribed: "subscribed"
        case .sessionEnded: "the session ends"
        case .disconnected: "disconnected"
        case .command: "a command arrives"
        case .action: "an action is performed"
        }
    }
}

extension Expectation {
    /// The expectation.
    package var text: String {
        switch self {
        case .command(let pattern): pattern.text
        case .action(let action, let name):
            (action.map { "the \($0) action" } ?? "an action") + Self.about(name)
        case .absence(let kind, let name, let duration):
            "no \(kind.text)\(Self.about(name)) for \(duration.text)"
        case .subscription(let characteristic, let isSubscribed):
            "\(isSubscribed ? "a" : "no") subscription to \(characteristic.text)"
        case .read(let attribute): "\(attribute.text) to be read"
        case .remoteCommand(let command):
            (command.map { "the command \($0)" } ?? "a command") + " for the player"
        case .registration(let attribute): "a registration for \(attribute)"
        case .mediaRead(let attribute): "the whole \(attribute) to be read"
        case .parameters(let answer):
            "a request for connection parameters"
                + (answer.map { ", \($0 == .accept ? "accepted" : "refused")" } ?? "")
        case .binding(let app, let isBound):
            "\"\(app)\" to be \(isBound ? "bound and connected" : "bound to no accessory")"
        }
    }

    private static func about(_ name: String?) -> String { name.map { " of \"\($0)\"" } ?? "" }
}

extension Absence {
    /// What does not happen.
    fileprivate var text: String {
        switch self {
        case .mediaCommand: "command for the player"
        case .mediaRead: "read of the media"
        case .command, .action, .pairing, .connection, .disconnection, .parameters, .binding:
            rawValue
        }
    }
}

/// The words for beginning or ending a subscription.
package func subscriptionText(_ isSubscribed: Bool, _ characteristic: String) -> String {
    (isSubscribed ? "subscribed to " : "unsubscribed from ") + characteristic
}

extension SubscribedCharacteristic {
    /// The name of a characteristic of the Apple Media Service.
    package init(_ characteristic: MediaCharacteristic) {
        switch characteristic {
        case .remoteCommand: self = .remoteCommand
        case .entityUpdate: self = .entityUpdate
        }
    }

    /// The name in the specifications.
    package var text: String {
        switch self {
        case .notificationSource: "Notification Source"
        case .dataSource: "Data Source"
        case .serviceChanged: "Service Changed"
        case .batteryLevel: PhoneAttribute.batteryLevel.text
        case .currentTime: PhoneAttribute.currentTime.text
        case .remoteCommand: "Remote Command"
        case .entityUpdate: "Entity Update"
        }
    }
}

extension PhoneAttribute {
    /// The name in the specifications.
    package var text: String {
        switch self {
        case .batteryLevel: "Battery Level"
        case .currentTime: "Current Time"
        case .localTimeInformation: "Local Time Information"
        case .referenceTimeInformation: "Reference Time Information"
        }
    }
}

extension CommandPattern {
    /// The matching commands.
    package var text: String {
        var words = command?.description ?? "a command"
        if let notification { words += " of \"\(notification)\"" }
        if let app { words += " of \(app)" }
        if !attributes.isEmpty {
            words += " with " + attributes.map(\.description).joined(separator: ", ")
        }
        switch outcome {
        case nil: break
        case .success: words += ", answered with success"
        case .refused(let error): words += ", refused with \(error)"
        }
        return words
    }
}

extension ScenarioFault {
    /// The fault, the affected commands, and the number of times.
    package var text: String {
        switch self {
        case .droppedSubscriptions(let characteristics):
            "the subscription to "
                + characteristics.map { SubscribedCharacteristic($0).text }
                .joined(separator: " and ") + " dropped silently"
        case .media(.linkLoss): "a link lost at the registration for the player's name"
        case .media(.vanishing): "the Apple Media Service withdrawn during a read"
        case .media(.burst(let count)): "the values of a registration \(count) times more"
        case .positionJump(let distance): "the position \(distance.text) back"
        case .parameters(let fault, let count):
            "\(fault.text) to requests for connection parameters"
                + (count == 1 ? "" : ", \(count) times")
        case .answer(let fault):
            fault.effect.text + (fault.commandID.map { " to \($0)" } ?? "")
                + (fault.count == 1 ? "" : ", \(fault.count ?? 0) times")
        }
    }
}

extension ParameterFault {
    /// The fault.
    fileprivate var text: String {
        switch self {
        case .refuse: "a refusal"
        case .acceptOnly: "an acceptance without effect"
        case .ignore: "no answer"
        case .overwrite: "an acceptance that the phone then overwrites"
        }
    }
}

extension AnswerFault.Effect {
    /// The fault.
    fileprivate var text: String {
        switch self {
        case .refuse(let error): "the refusal \(error)"
        case .ignoreWrite: "no response"
        case .delay(let delay): "an answer delayed by \(delay.text)"
        case .lose: "a lost answer"
        case .duplicate: "a duplicated answer"
        case .joinWithNext: "an answer joined with the next"
        case .reorder: "an answer in another order"
        case .fragment: "an answer in other fragments"
        case .headerOnly: "an answer without attributes"
        case .dropLink(let octets): "a link lost after \(counted(octets, "octet")) of an answer"
        }
    }
}
