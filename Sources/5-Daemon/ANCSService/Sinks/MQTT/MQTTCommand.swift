internal import AMS
internal import ANCS
internal import JSONText
internal import LinuxIO

/// A command for a phone: a message in the topic `perform`.
///
///     {"id": "3mb9k2x0q", "action": "negative"}
///     {"call": "positive"}
///     {"last": "negative"}
///     {"player": "next"}
enum MQTTCommand: Equatable, Sendable {
    /// Performs an action on the notification with this `id`.
    case record(RecordID, ActionID)
    /// Answers or declines the ringing call.
    case call(ActionID)
    /// Clears the latest notification.
    case clearLast
    /// Sends a command to the player.
    case player(RemoteCommandID)

    /// Why a message is not a valid command.
    enum Fault: Error, Equatable, Sendable {
        case notAllowed
        case retained
        case tooLong
        case unreadable
        case unknownPhone
        case unknownRecord
        case noCall
        case noPlayer
        case nothingToClear
        case actionUnavailable
        case tooMany
    }

    /// The longest message, in octets.
    static let maximumCount = 1024

    /// Parses a message.
    init(reading payload: [UInt8]) throws(Fault) {
        guard payload.count <= Self.maximumCount else { throw .tooLong }
        guard let json = try? JSONValue(parsing: payload), let members = json.members else {
            throw .unreadable
        }
        let names = members.map(\.name).sorted(byText: \.self)
        if names == ["action", "id"], let id = json["id"]?.string.flatMap({ RecordID($0) }) {
            self = .record(id, try Self.action(json["action"]))
        } else if names == ["call"] {
            self = .call(try Self.action(json["call"]))
        } else if names == ["last"], try Self.action(json["last"]) == .negative {
            self = .clearLast
        } else if names == ["player"],
            let command = Self.playerCommands[json["player"]?.string ?? ""]
        {
            self = .player(command)
        } else {
            throw .unreadable
        }
    }

    private static let playerCommands: [String: RemoteCommandID] = [
        "playPause": .togglePlayPause, "next": .nextTrack, "previous": .previousTrack,
    ]

    private static func action(_ value: JSONValue?) throws(Fault) -> ActionID {
        switch value?.string {
        case "positive": .positive
        case "negative": .negative
        case _: throw .unreadable
        }
    }
}

extension MQTTCommand.Fault {
    /// What is wrong with the message, for the log.
    var message: String {
        switch self {
        case .notAllowed: "the configuration does not allow commands: see 'commands' in [mqtt]"
        case .retained: "it was retained, and would be repeated at every start"
        case .tooLong: "it has more than \(MQTTCommand.maximumCount) octets"
        case .unreadable:
            #"it must be {"id": "ID", "action": "positive"}, {"call": "negative"}, {"last": "negative"} "#
                + #"or {"player": "next"}"#
        case .unknownPhone: "its topic names an unknown phone"
        case .unknownRecord: "no notification of this phone has this id"
        case .noCall: "no call is ringing"
        case .noPlayer: "the phone has no player, or its player does not offer this now"
        case .nothingToClear: "there is no notification that can be cleared"
        case .actionUnavailable: "the notification does not have this action"
        case .tooMany: "too many commands"
        }
    }
}
