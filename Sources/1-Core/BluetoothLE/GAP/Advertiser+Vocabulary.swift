// The configuration, inputs and outputs of an advertiser.
extension Advertiser {
    /// What the owner has to do, and what happened.
    public enum Output: Equatable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/advertiser``.
        case send(HCICommandPacket)
        /// The controller advertises.
        case started
        /// The controller no longer advertises.
        case stopped(StopReason)
        /// Advertising could not be started, or could not be changed.
        case failed(Failure)
    }

    /// Why advertising stopped.
    public enum StopReason: Equatable, Sendable {
        /// Because of ``Advertiser/stop()``.
        case requested
        /// Because a device connected.
        case connected
        /// The controller ended it.
        case ended(HCIStatus)
    }

    /// Why advertising failed.
    public enum Failure: Error, Equatable, Sendable {
        /// The controller refused a command, and the alternative too.
        case refused(HCIOpcode, HCIStatus)
        /// The controller did not answer a command, at two attempts.
        case timedOut(HCIOpcode)
    }

    /// Why an advertisement was refused.
    public enum UsageError: Error, Equatable, Sendable {
        /// The advertising data cannot be encoded.
        case data(AdvertisingData.EncodingError)
        /// The scan response cannot be encoded.
        case scanResponse(AdvertisingData.EncodingError)
        /// The advertisement needs extended advertising, which the controller does not support.
        case extendedNotSupported
        /// The address is public, but is not the controller's.
        case addressNotAvailable
    }

    /// How to advertise.
    public struct Configuration: Equatable, Sendable {
        /// The features of the controller.
        public var abilities: ControllerAbilities
        /// Whether to use the extended commands if the controller supports them.
        public var prefersExtended: Bool

        /// A configuration; by default with extended commands.
        public init(abilities: ControllerAbilities, prefersExtended: Bool = true) {
            self.abilities = abilities
            self.prefersExtended = prefersExtended
        }
    }
}
