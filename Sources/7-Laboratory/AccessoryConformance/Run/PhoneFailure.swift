public import ANCSKit

/// Why a phone could not play a scenario to its end.
public enum PhoneFailure: Error {
    /// The phone's controller could not be used, or failed during the run.
    case device(DeviceError)
    /// The phone did not accept what the scenario wants of it; the reason is a sentence.
    case refused(reason: String)

    /// The reason, in a sentence.
    public var message: String {
        switch self {
        case .device(let error): error.message
        case .refused(let reason): reason
        }
    }
}
