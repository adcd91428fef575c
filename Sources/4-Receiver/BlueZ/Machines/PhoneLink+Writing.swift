internal import ANCS
internal import ANCSEvents
internal import DBus
internal import Octets

// How commands are written: one at a time, so that a reply is that of its command. A second `WriteValue` would
// get `InProgress`.
extension PhoneLink {
    /// A command of the session. If one is being written, this one waits for its reply, and takes the place of
    /// another that waits, which the session has given up.
    mutating func writeCommand(
        _ value: [UInt8], to controlPoint: ObjectPath, at now: MonotonicInstant
    ) {
        commands.replaceWaiting(
            with: AttributeQueue.Request(
                id: .init(rawValue: 0), client: ClientID(rawValue: 0),
                kind: .write(value, .request), path: controlPoint, number: 0))
        writeFirst(AttributeQueue.Attempt(end: now + Call.writeControlPoint(value).limit))
    }

    mutating func writeFirst(_ attempt: AttributeQueue.Attempt?) {
        guard commands.state == .resting, let attempt,
            case .write(let value, _) = commands.first?.kind
        else { return }
        commands.state = .called(attempt)
        call(.writeControlPoint(value))
    }

    mutating func written(
        _ value: [UInt8], _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        guard case .called(let attempt) = commands.state,
            commands.first?.kind == .write(value, .request)
        else { return }
        switch result {
        case .success: wrote(value, nil, at: now)
        case .failure(let error) where error.isMomentary && commands.pause(attempt, at: now): break
        case .failure(let error) where error.isNoReply: hang()
        case .failure(let error):
            wrote(value, ControlPointError(rawValue: error.attErrorCode), at: now)
        }
    }

    private mutating func wrote(
        _ value: [UInt8], _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        _ = commands.removeFirst()
        report(.controlPointWritten(value, error))
        writeFirst(AttributeQueue.Attempt(end: now + Call.writeControlPoint(value).limit))
    }
}
