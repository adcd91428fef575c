internal import Octets

extension ControlPointCommand {
    /// Why a write to the Control Point is not a command.
    public struct Rejection: Error, Hashable, Sendable {
        /// What is wrong with the write.
        public enum Reason: Hashable, Sendable {
            /// The write has no octets.
            case empty
            /// The command identifier is reserved (R57).
            case unknownCommand(CommandID)
            /// The notification identifier or action ends too early.
            case truncated
            /// The app identifier does not end with NUL (R35).
            case unterminatedAppIdentifier
            /// The app identifier is not valid UTF-8 (R2).
            case invalidAppIdentifier
            /// The maximum length of an attribute is missing or incomplete (R25).
            case missingMaximumLength(NotificationAttributeID)
            /// `count` octets follow the command.
            case excess(count: Int)
        }

        /// What is wrong.
        public var reason: Reason
        /// The octet of the write where the fault is, counted from 0.
        public var offset: Int

        /// The error that the provider answers: 0xA0 for an unknown command, 0xA1 for a badly formatted one
        /// (R57, R58).
        public var error: ControlPointError {
            switch reason {
            case .unknownCommand: .unknownCommand
            case .empty, .truncated, .unterminatedAppIdentifier, .invalidAppIdentifier,
                .missingMaximumLength, .excess:
                .invalidCommand
            }
        }
    }

    /// Decodes a write to the Control Point, as a Notification Provider receives it.
    ///
    /// Reserved attributes and actions, a maximum length of 0 and an empty list are well-formed and do not
    /// throw; the provider decides how to answer them (S7, S8, S9, S29).
    public init(decoding write: Span<UInt8>) throws(Rejection) {
        guard !write.isEmpty else { throw Rejection(reason: .empty, offset: 0) }
        let commandID = CommandID(rawValue: write[0])
        switch commandID {
        case .getNotificationAttributes:
            self = .getNotificationAttributes(try Self.notificationAttributes(write))
        case .getAppAttributes: self = .getAppAttributes(try Self.appAttributes(write))
        case .performNotificationAction: self = .performNotificationAction(try Self.action(write))
        case _: throw Rejection(reason: .unknownCommand(commandID), offset: 0)
        }
    }

    private static func notificationAttributes(
        _ write: Span<UInt8>
    ) throws(Rejection) -> GetNotificationAttributes {
        var rest = write.extracting(droppingFirst: 1)
        let uid = try notificationUID(&rest, of: write)
        var attributes: [NotificationAttributeRequest] = []
        // An attribute has one octet or three. Commands ask for both kinds, so that this is enough as a rule.
        attributes.reserveCapacity((rest.count + 1) / 2)
        while !rest.isEmpty {
            let id = NotificationAttributeID(rawValue: rest[0])
            rest = rest.extracting(droppingFirst: 1)
            guard id.takesMaximumLength else {
                attributes.append(NotificationAttributeRequest(decoded: id, maxLength: nil))
                continue
            }
            do throws(DecodingError) {
                let maxLength = try rest.takeUInt16()
                attributes.append(NotificationAttributeRequest(decoded: id, maxLength: maxLength))
            } catch { throw Rejection(reason: .missingMaximumLength(id), offset: write.count) }
        }
        return GetNotificationAttributes(decoded: uid, attributes: attributes)
    }

    private static func appAttributes(_ write: Span<UInt8>) throws(Rejection) -> GetAppAttributes {
        var identifier: [UInt8] = []
        var offset = 1
        while offset < write.count, write[offset] != 0 {
            identifier.append(write[offset])
            offset += 1
        }
        guard offset < write.count else {
            throw Rejection(reason: .unterminatedAppIdentifier, offset: write.count)
        }
        guard UTF8Text.isValid(identifier) else {
            throw Rejection(reason: .invalidAppIdentifier, offset: 1)
        }
        var attributes: [AppAttributeID] = []
        for index in (offset + 1)..<write.count {
            attributes.append(AppAttributeID(rawValue: write[index]))
        }
        return GetAppAttributes(
            decoded: AppIdentifier(received: identifier), attributes: attributes)
    }

    private static func action(
        _ write: Span<UInt8>
    ) throws(Rejection) -> PerformNotificationAction {
        var rest = write.extracting(droppingFirst: 1)
        let uid = try notificationUID(&rest, of: write)
        guard !rest.isEmpty else { throw Rejection(reason: .truncated, offset: write.count) }
        guard rest.count == 1 else {
            throw Rejection(reason: .excess(count: rest.count - 1), offset: 6)
        }
        return PerformNotificationAction(
            notificationUID: uid, actionID: ActionID(rawValue: rest[0]))
    }

    private static func notificationUID(
        _ rest: inout Span<UInt8>, of write: Span<UInt8>
    ) throws(Rejection) -> NotificationUID {
        do throws(DecodingError) {
            return NotificationUID(rawValue: try rest.takeUInt32())
        } catch {
            throw Rejection(reason: .truncated, offset: write.count)
        }
    }
}
