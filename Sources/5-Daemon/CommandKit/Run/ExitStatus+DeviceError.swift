package import ANCSEvents
internal import Printing

extension ExitStatus {
    /// Reports why a device ended, and returns the exit status.
    package static func report(_ error: DeviceError) -> ExitStatus {
        StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
        let status = status(of: error)
        switch error {
        // Files, and a place on a network that refused a connection, are not what the doctor looks at.
        case .storage: return status
        case .transport(let place) where place.code == .connectionFailed: return status
        case .transport, .controller, .advertisement, .configuration: break
        }
        if status == .unavailable {
            StandardStreams.writeError("ancs: 'ancs doctor' examines the Bluetooth of this machine")
        }
        return status
    }

    /// Reports that the time limit of a command passed before it had a controller, and returns the exit status: nothing
    /// can be said of what is near.
    package static func reportNoControllerInTime() -> ExitStatus {
        StandardStreams.writeError("ancs: the controller was not ready before the time limit")
        return .unavailable
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
