/// What a ``Host`` does and tells, by topic. Everything about a connection lies between its
/// ``LinkEvent/connected(_:)`` and its ``LinkEvent/disconnected(_:)``.
///
/// What is large and rare is indirect: each packet is an output too, and is as large as the largest case.
public enum HostOutput: Hashable, Sendable {
    /// Give the packet to the transport.
    case send(HCIPacket)
    /// Something happened to the controller.
    indirect case controller(ControllerEvent)
    /// Something happened on air, besides links.
    case air(AirEvent)
    /// Something happened to a link.
    case link(ConnectionHandle, LinkEvent)
    /// Something happened to the protection of a link.
    case security(ConnectionHandle, SecurityEvent)
    /// Something happened on the ATT bearer of a link.
    case attribute(ConnectionHandle, ATTBearer.Event)
    /// Store the record, in the place of an earlier one with the same identity address.
    indirect case bondChanged(BondRecord)

    /// What happens to the controller.
    public enum ControllerEvent: Hashable, Sendable {
        /// It is set up.
        case ready(ControllerAbilities)
        /// It failed, or is to begin again, and is being reset; its connections have ended.
        case resetting(ResetReason)
        /// It cannot be used.
        case failed(ControllerSetup.Failure)
    }

    /// Why the controller is reset.
    public enum ResetReason: Hashable, Sendable {
        /// HCI_Hardware_Error, with the manufacturer's code. Core Vol 4, Part E, 7.7.16.
        case hardwareError(UInt8)
        /// It has left several commands in a row unanswered.
        case unresponsive
        /// ``Host/restart(at:)``: nothing is wrong with it.
        case requested
    }

    /// What happens while this device is found, looks for others and connects to them.
    public enum AirEvent: Hashable, Sendable {
        /// The advertisement is on air.
        case advertisingStarted
        /// The advertisement is off air.
        case advertisingStopped(Advertiser.StopReason)
        /// The advertisement could not be put on air.
        case advertisingFailed(Advertiser.Failure)
        /// The controller looks for devices.
        case scanningStarted
        /// The controller no longer looks for devices, because the owner does not want it to.
        case scanningStopped
        /// The controller does not look for devices, or no longer.
        case scanningFailed(Scanner.Failure)
        /// A device was heard while scanning.
        case discovered(Discovery)
        /// There will be no link to this address.
        case connectingFailed(DeviceAddress, Initiator.Failure)
    }

    /// What happens to a link.
    public enum LinkEvent: Hashable, Sendable {
        /// It was made.
        case connected(LinkDescription)
        /// It ended.
        case disconnected(HCIStatus)
        /// The Central chose other connection parameters, or the data length changed.
        case changed(LinkDescription)
        /// There is room for values again where there was none: ``Host/hasRoom(on:)``.
        case hasRoom
        /// How strong the peer is heard, in dBm; `nil` where the controller did not say.
        case rssi(Int8?)
    }

    /// What happens to the protection of a link.
    public enum SecurityEvent: Hashable, Sendable {
        /// The link is protected differently from now on.
        case changed(LinkSecurity)
        /// Pairing needs the user.
        case ask(SecurityManager.Question)
        /// Pairing succeeded. Without bonding the keys are gone with the link (Core Vol 3, Part C,
        /// 9.4).
        case paired(isBonded: Bool)
        /// Pairing or encryption failed; a question that is still open is withdrawn.
        case failed(SecurityManager.Failure)
    }
}

/// What is known about a link.
public struct LinkDescription: Hashable, Sendable {
    /// Which part this device plays.
    public var role: LinkRole
    /// The address that this device was on air with when the link was made.
    public var localAddress: DeviceAddress
    /// The address that the peer is on air with.
    public var peerAddress: DeviceAddress
    /// The identity address of the bonded peer that this is, or `nil` for a stranger.
    public var peerIdentity: DeviceAddress?
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip.
    public var latency: UInt16
    /// After how long without a packet the link is lost.
    public var supervisionTimeout: SupervisionTimeout
}

/// Why a ``Host`` cannot do what it is told.
public enum HostUsageError: Error, Hashable, Sendable {
    /// The controller is not set up.
    case notReady
    /// There is no such connection.
    case unknownConnection
    /// The identity address is public, but not that of the controller.
    case addressNotAvailable
    /// There is a link to the address.
    case alreadyConnected(ConnectionHandle)
    /// There are as many links as the configuration allows.
    case tooManyConnections
    /// The connection cannot be made.
    case connecting(Initiator.UsageError)
    /// The advertisement cannot be put on air.
    case advertising(Advertiser.UsageError)
    /// The security manager cannot do it.
    case security(SecurityManager.UsageError)
    /// The bearer cannot do it.
    case bearer(ATTBearer.UsageError)
    /// The attribute table cannot take it.
    case attributes(AttributeTable.UsageError)
    /// The parameters cannot be asked for.
    case signalling(LESignalling.UsageError)
    /// Too many commands wait for the controller.
    case controllerBusy
    /// The controller has no such command.
    case notSupported
}
