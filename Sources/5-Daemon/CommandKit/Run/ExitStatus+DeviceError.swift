package import ANCSEvents
internal import LinuxIO
internal import Printing

extension ExitStatus {
    /// Reports why a device ended, and returns the exit status.
    package static func report(_ error: DeviceError) -> ExitStatus {
        StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
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
