// What an advertiser is told, and what it tells.
extension Advertiser {
    /// What the owner has to do or know.
    public enum Output: Hashable, Sendable {
        /// Submit the command to the ``HCICommandChannel``, for ``HCICommandOwner/advertiser``.
        case send(HCICommandPacket)
        /// The advertisement is on air.
        case started
        /// The advertisement is off air.
        case stopped(StopReason)
        /// The advertisement could not be put on air, or stayed there.
        case failed(Failure)
    }

    /// Why the advertisement is off air.
    public enum StopReason: Hashable, Sendable {
        /// ``Advertiser/stop()``
        case requested
        /// Somebody connected.
        case connected
        /// The controller ended it.
        case ended(HCIStatus)
    }

    /// Why the advertisement could not be put on air.
    public enum Failure: Error, Hashable, Sendable {
        /// The controller refused a command, and so it did with the alternative.
        case refused(HCIOpcode, HCIStatus)
        /// The controller did not answer a command, twice.
        case timedOut(HCIOpcode)
    }

    /// Why an advertisement was not taken.
    public enum UsageError: Error, Hashable, Sendable {
        /// The advertising data cannot be encoded.
        case data(AdvertisingData.EncodingError)
        /// The scan response cannot be encoded.
        case scanResponse(AdvertisingData.EncodingError)
        /// The controller has no extended advertising, which the advertisement needs.
        case extendedNotSupported
        /// A public address was given, but the controller has none or another.
        case addressNotAvailable
    }

    /// How to advertise.
    public struct Configuration: Hashable, Sendable {
        /// What the controller can do.
        public var abilities: ControllerAbilities
        /// Whether to use the extended commands where there are any.
        public var prefersExtended: Bool

        /// Extended commands where there are any, unless said otherwise.
        public init(abilities: ControllerAbilities, prefersExtended: Bool = true) {
            self.abilities = abilities
            self.prefersExtended = prefersExtended
        }
    }
}
