internal import ANCS
internal import DBus
package import Octets

// How commands are written: one at a time, so that a reply is that of its command. A second `WriteValue` would
// get `InProgress`.
extension PhoneLink {
    /// A command that is being written.
    package struct Write: Equatable, Sendable {
        package let value: [UInt8]
        /// Until when it is written again.
        package let end: MonotonicInstant
        /// The next pause before it is written again.
        package var pause = PhoneLink.firstWritePause
        /// When it is written again: another program's command is in progress.
        var again: MonotonicInstant?

        package var deadline: MonotonicInstant? { again }
    }

    /// A command of the session. If one is being written, this one waits for its reply, and takes the place of
    /// another that waits, which the session has given up.
    mutating func writeCommand(_ value: [UInt8], at now: MonotonicInstant) {
        guard write == nil else {
            nextCommand = value
            return
        }
        let limit = Call.writeControlPoint(value).limit
        write = Write(value: value, end: now + limit)
        call(.writeControlPoint(value))
    }

    /// The pause is over.
    mutating func repeatWrite(at now: MonotonicInstant) {
        guard var again = write, let instant = again.again, instant <= now else { return }
        again.again = nil
        write = again
        call(.writeControlPoint(again.value))
    }

    mutating func written(
        _ value: [UInt8], _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        guard var current = write, current.value == value else { return }
        switch result {
        case .success: wrote(value, nil, at: now)
        // Another program's command is being written.
        case .failure(let error) where error.isInProgress && now + current.pause < current.end:
            current.again = now + current.pause
            current.pause = min(current.pause * 2, Self.writePauseLimit)
            write = current
        case .failure(let error) where error.isNoReply: hang()
        case .failure(let error):
            wrote(value, ControlPointError(rawValue: error.attErrorCode), at: now)
        }
    }

    private mutating func wrote(
        _ value: [UInt8], _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        write = nil
        report(.controlPointWritten(value, error))
        if let next = exchange(&nextCommand, with: nil) { writeCommand(next, at: now) }
    }
}
