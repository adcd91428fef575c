package import ANCSKit

/// What a scenario can wait for. All except `command` and `action` are states, which may already hold.
package enum Milestone: String, CaseIterable, Equatable, Sendable {
    /// The accessory is connected.
    case connected
    /// The link is encrypted.
    case encrypted
    /// Keys were exchanged on this link.
    case paired
    /// Keys that both sides store were exchanged on this link, or earlier and are in use.
    case bonded
    /// The keys of an earlier pairing are in use.
    case restored
    /// The accessory is subscribed to the Notification Source: a session has begun (R49).
    case session
    /// The accessory is subscribed to the Notification Source and the Data Source.
    case subscribed
    /// A session has ended.
    case sessionEnded
    /// There is no link.
    case disconnected
    /// A command arrives that no step has counted yet.
    case command
    /// An action is performed that no step has counted yet.
    case action
}

/// What a scenario expects of an accessory.
package enum Expectation: Equatable, Sendable {
    /// A command arrives.
    case command(CommandPattern)
    /// An action is performed.
    case action(ActionID?, of: String?)
    /// Something does not happen for a time, optionally to a certain notification or app.
    case absence(of: Absence, about: String?, for: Duration)
    /// A characteristic is subscribed to, or is not.
    case subscription(SubscribedCharacteristic, Bool)
    /// A value of the phone's battery or clock is read.
    case read(PhoneAttribute)
    /// A command for the player arrives; `nil` for any.
    case remoteCommand(RemoteCommandID?)
    /// There is a registration for an attribute of the media.
    case registration(MediaAttribute)
    /// An attribute of the media is read whole.
    case mediaRead(MediaAttribute)
    /// A request for connection parameters arrives, and gets this answer; `nil` for any.
    case parameters(ParameterAnswer?)
    /// An app of the phone is bound to a connected accessory, or to none.
    case binding(app: String, Bool)
}

/// What an accessory can be expected not to do.
package enum Absence: String, CaseIterable, Equatable, Sendable {
    case command, action, pairing, connection, disconnection
    /// It requests no connection parameters.
    case parameters
    /// An app of the phone does not bind.
    case binding
    /// It sends no command to the player.
    case mediaCommand
    /// It reads no attribute of the media.
    case mediaRead
}

/// A characteristic to which an accessory can subscribe.
package enum SubscribedCharacteristic: String, CaseIterable, Equatable, Sendable {
    case notificationSource, dataSource, serviceChanged, batteryLevel, currentTime
    case remoteCommand, entityUpdate
}

/// A pattern that commands have to match.
package struct CommandPattern: Equatable, Sendable {
    /// The command; `nil` for any.
    package var command: CommandID?
    /// The notification that the command is about.
    package var notification: String?
    /// The app that the command is about.
    package var app: String?
    /// The attributes that the command must ask for; it may ask for more.
    package var attributes: [NotificationAttributeID] = []
    /// The required answer of the phone.
    package var outcome: Outcome?

    /// How a command was answered.
    package enum Outcome: Equatable, Sendable {
        /// With success.
        case success
        /// With an error.
        case refused(ControlPointError)
    }
}
