package import ANCSEvents
internal import Printing

extension ExitStatus {
    /// Reports why a device ended, and returns the exit status.
    package static func report(_ error: DeviceError) -> ExitStatus {
        StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
        let status = status(of: error)
        // A place on a network that refused a connection is not what the doctor looks at.
        if case .transport(let place) = error, place.code == .connectionFailed { return status }
        if status == .unavailable {
            StandardStreams.writeError("ancs: 'ancs doctor' examines the Bluetooth of this machine")
        }
        return status
    }

    private static func status(of error: DeviceError) -> ExitStatus {
        switch error {
        case .controller: return .unavailable
        case .advertisement, .configuration, .storage(.unreadable): return .usage
        case .transport(let error), .storage(.io(let error)):
            switch error.responsibility {
            case .usage: return .usage
            case .unavailable: return .unavailable
            case .lost: return .failure
            }
        }
    }
}
