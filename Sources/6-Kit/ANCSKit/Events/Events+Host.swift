internal import BluetoothLE

// What the events say, made from what the host reports.

extension LinkParameters {
    init(_ link: LinkDescription, isKept: Bool = false) {
        self.init(
            interval: link.interval.duration, latency: Int(link.latency),
            supervisionTimeout: link.supervisionTimeout.duration, isKept: isKept)
    }
}

extension ControllerFailure {
    init(_ reason: HostOutput.ResetReason) {
        switch reason {
        case .hardwareError(let code): self = .hardwareError(code)
        case .unresponsive: self = .unresponsive
        case .requested: self = .restarted
        }
    }

    init(_ failure: ControllerSetup.Failure) {
        switch failure {
        case .noAnswer: self = .noAnswer
        case .resetRefused(let status): self = .resetRefused(status)
        case .failsRepeatedly: self = .failsRepeatedly
        }
    }
}

extension BluetoothError {
    /// The host refused a service.
    init(notPublished error: HostUsageError) { self.init(.outOfSpace, error.message) }

    /// Scanning failed.
    init(_ failure: Scanner.Failure) {
        let reason =
            switch failure {
            case .refused(_, let status): status.message
            case .timedOut: "it does not answer"
            case .controllerLost: "it has disappeared, or was reset"
            }
        self.init(.unknown, "the controller cannot scan: \(reason)")
    }

    /// Advertising failed.
    init(_ failure: Advertiser.Failure) {
        switch failure {
        case .refused(_, let status): self.init(.unknown, status.message)
        case .timedOut: self.init(.unknown, "it does not answer")
        }
    }
}
