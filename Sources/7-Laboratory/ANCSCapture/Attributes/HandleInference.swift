internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// Finds the handles of ANCS in traffic whose discovery is not in the capture.
///
/// A Control Point write alone proves little, and a value of eight octets nothing. The proof is a handle that
/// notifies a value that begins exactly like the answer to a command written to another handle. Then the
/// handle that notified a UID that a command asks about is the Notification Source.
struct HandleInference: Sendable {
    /// Traffic seen before the handles were known, to be followed once they are.
    package struct Sighting: Equatable, Sendable {
        package var finding: ATTFollower.Finding
        package var time: CaptureTime
    }

    /// The number of sightings that are kept. A client sends its first command long before there are that
    /// many.
    private static let maximumSightings = 256

    private var sightings: [Sighting] = []
    private var asked = BoundedDictionary<NotificationUID, Bool>(limit: 256)
    /// The handles that are certain so far; the Notification Source may be missing.
    private(set) var handles: ANCSHandles?

    /// Whether all handles are known.
    package var isDone: Bool { handles?.notificationSource != nil }

    /// Takes traffic that could belong to ANCS. Returns whether it added to ``handles``.
    package mutating func observe(_ finding: ATTFollower.Finding, at time: CaptureTime) -> Bool {
        guard mayMatter(finding) else { return false }
        if sightings.count == Self.maximumSightings { sightings.removeFirst() }
        sightings.append(Sighting(finding: finding, time: time))
        if case .writing(_, let value, _) = finding,
            case .getNotificationAttributes(let command) = Self.command(value)
        {
            asked.set(true, for: command.notificationUID)
        }
        let before = handles
        if handles == nil, case .pushed(let handle, let value, _) = finding {
            handles = handles(answeredOn: handle, with: value)
        }
        if var found = handles {
            found.notificationSource = notificationSource(beside: found)
            handles = found
        }
        return handles != before
    }

    /// Removes and returns the sightings of these handles, in order. Those that may turn out to belong to the
    /// Notification Source are kept.
    mutating func takeSightings(of handles: ANCSHandles) -> [Sighting] {
        let meant = sightings.filter { $0.finding.isAbout(handles) }
        sightings.removeAll { $0.finding.isAbout(handles) }
        return meant
    }

    private func mayMatter(_ finding: ATTFollower.Finding) -> Bool {
        switch finding {
        case .writing(_, let value, hasResponse: true), .written(_, let value, _, _):
            Self.isConfiguration(value) || Self.command(value) != nil
        case .pushed(_, let value, isIndication: false):
            Self.source(value) != nil || (handles == nil && value.first.map { $0 <= 1 } ?? false)
        case .requested, .exchanged, .writing, .pushed, .unanswered, .stray: false
        }
    }

    /// The Control Point and the Data Source, if this value answers a command.
    private func handles(
        answeredOn dataSource: AttributeHandle, with value: [UInt8]
    ) -> ANCSHandles? {
        for sighting in sightings {
            guard case .writing(let handle, let written, hasResponse: true) = sighting.finding,
                handle != dataSource, let command = Self.command(written),
                Self.isAnswer(value, to: command)
            else { continue }
            return ANCSHandles(controlPoint: handle, dataSource: dataSource)
        }
        return nil
    }

    /// The handle that notified the UID that a command asked about.
    private func notificationSource(beside handles: ANCSHandles) -> AttributeHandle? {
        if let known = handles.notificationSource { return known }
        for sighting in sightings {
            guard case .pushed(let handle, let value, _) = sighting.finding,
                handles.characteristic(valueAt: handle) == nil, let source = Self.source(value),
                asked[source.notificationUID] != nil
            else { continue }
            return handle
        }
        return nil
    }

    private static func isConfiguration(_ value: [UInt8]) -> Bool {
        value.count == 2 && value[0] <= 1 && value[1] == 0
    }

    /// The command in a Control Point value, or `nil` if any field is unknown.
    private static func command(_ value: [UInt8]) -> ControlPointCommand? {
        guard let command = try? ControlPointCommand(decoding: value.span) else { return nil }
        switch command {
        case .getNotificationAttributes(let command):
            let isKnown = command.attributes.allSatisfy { $0.id.rawValue <= 7 }
            return isKnown && !command.attributes.isEmpty
                ? .getNotificationAttributes(command) : nil
        case .getAppAttributes(let command):
            let isKnown = command.attributes == [.displayName]
            return isKnown ? .getAppAttributes(command) : nil
        case .performNotificationAction(let command):
            return command.actionID.rawValue <= 1 ? .performNotificationAction(command) : nil
        }
    }

    /// The content of a Notification Source value, or `nil` if any field is unknown.
    private static func source(_ value: [UInt8]) -> NotificationSourceValue? {
        guard let source = try? NotificationSourceValue(decoding: value.span),
            source.eventID.rawValue <= 2, source.categoryID.rawValue <= 12
        else { return nil }
        return source
    }

    /// Whether octets begin like the answer to a command: with its identity and an attribute that it asks
    /// for.
    private static func isAnswer(_ value: [UInt8], to command: ControlPointCommand) -> Bool {
        guard let identity = ResponseIdentity(answering: command) else { return false }
        let header = AttributeResponse(identity: identity, attributes: []).octets
        guard value.starts(with: header), value.count > header.count else { return false }
        let first = value[header.count]
        return switch command {
        case .getNotificationAttributes(let command):
            command.attributes.contains { $0.id.rawValue == first }
        case .getAppAttributes(let command): command.attributes.contains { $0.rawValue == first }
        case .performNotificationAction: false
        }
    }
}
