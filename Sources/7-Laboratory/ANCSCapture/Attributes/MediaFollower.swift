internal import AMS
internal import BluetoothLE

/// Follows the Apple Media Service between a client and a server: the values on their way, and reads of whole values,
/// part by part.
struct MediaFollower: Sendable {
    /// The longest value of an attribute. Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    /// The attribute that was written to Entity Attribute, and what has been read of it.
    private var selected: MediaAttribute?
    private var value: [UInt8]?

    /// Reports a finding if it is about the service; returns whether it is.
    mutating func follow(
        _ finding: ATTFollower.Finding, _ handles: AMSHandles, mtu: Int, _ log: inout StoryLog
    ) -> Bool {
        switch finding {
        case .writing(handles.remoteCommand, let value, hasResponse: false):
            log.report(.media(.command(octets: value, nil)))
        // The result says what was written.
        case .writing(let handle, _, _) where handles.hasValue(at: handle): break
        case .written(handles.remoteCommand, let value, let error, _):
            log.report(.media(.command(octets: value, error)))
        case .written(handles.entityUpdate, let value, let error, _):
            log.report(.media(.registration(octets: value, error)))
        case .written(handles.entityAttribute, let value, let error, _): select(value, error, &log)
        case .written(let handle, let value, nil, _), .writing(let handle, let value, false):
            guard let characteristic = handles.characteristic(configuredAt: handle) else {
                return false
            }
            log.report(
                .media(
                    .subscription(characteristic, isOn: value.first.map { $0 & 1 == 1 } ?? false)))
        case .pushed(handles.remoteCommand, let value, _):
            log.report(.media(.supported(RemoteCommandSet(decoding: value.span))))
        case .pushed(handles.entityUpdate, let value, _): log.report(.media(.update(octets: value)))
        case .exchanged(let request, let response, _):
            return follow(request, response, handles, mtu: mtu, &log)
        case .written, .writing, .pushed, .requested, .unanswered, .stray: return false
        }
        return true
    }

    /// The link or the capture ended.
    mutating func end(_ log: inout StoryLog) { leave(&log) }

    private mutating func select(_ octets: [UInt8], _ error: ATTErrorCode?, _ log: inout StoryLog) {
        leave(&log)
        selected =
            octets.count == 2 ? MediaAttribute(MediaEntityID(rawValue: octets[0]), octets[1]) : nil
        if let error { log.report(.media(.unread(selected, error))) }
    }

    private mutating func follow(
        _ request: ATTClientPDU, _ response: ATTServerPDU, _ handles: AMSHandles, mtu: Int,
        _ log: inout StoryLog
    ) -> Bool {
        switch (request, response) {
        case (.readRequest(handles.entityAttribute), .readResponse(let part)):
            leave(&log)
            read(part, at: 0, mtu: mtu, &log)
        case (.readBlobRequest(handles.entityAttribute, let offset), .readBlobResponse(let part)):
            read(part, at: Int(offset), mtu: mtu, &log)
        case (.readRequest(handles.entityAttribute), .errorResponse(_, _, let code)):
            log.report(.media(.unread(selected, code)))
        // Attribute Not Long, or Invalid Offset: that was all.
        case (.readBlobRequest(handles.entityAttribute, _), .errorResponse): finish(&log)
        default: return false
        }
        return true
    }

    /// A part arrived. One that does not follow what was read before is left out.
    private mutating func read(_ part: [UInt8], at offset: Int, mtu: Int, _ log: inout StoryLog) {
        guard offset == (value?.count ?? 0) else { return }
        value = (value ?? []) + part
        if part.count < mtu - 1 || offset + part.count >= Self.maximumValue { finish(&log) }
    }

    /// What was read is not all.
    private mutating func leave(_ log: inout StoryLog) {
        guard let octets = exchange(&value, with: nil) else { return }
        log.report(.media(.part(selected, octets: octets)))
    }

    private mutating func finish(_ log: inout StoryLog) {
        guard let octets = exchange(&value, with: nil) else { return }
        log.report(.media(.value(selected, octets: octets)))
    }
}
