/// What a ``Host`` does and reports, by topic. All events of a link come between its
/// ``LinkEvent/connected(_:)`` and its ``LinkEvent/disconnected(_:)``.
///
/// Large and rare cases are indirect, because every packet is an output too, and has the size of the largest
/// direct case.
public enum HostOutput: Equatable, Sendable {
    /// Send the packet on the transport.
    case send(HCIPacket)
    /// An event of the controller.
    indirect case controller(ControllerEvent)
    /// An event of advertising, scanning or connecting.
    case air(AirEvent)
    /// An event of a link.
    case link(ConnectionHandle, LinkEvent)
    /// An event of a link's security.
    case security(ConnectionHandle, SecurityEvent)
    /// An event of a link's ATT bearer.
    case attribute(ConnectionHandle, ATTBearer.Event)
    /// Store the record, in place of an earlier one with the same identity address.
    indirect case bondChanged(BondRecord)

    /// An event of the controller.
    public enum ControllerEvent: Equatable, Sendable {
        /// It is set up.
        case ready(ControllerAbilities)
        /// It failed, or is being restarted, and is being reset; its links have ended.
        case resetting(ResetReason)
        /// It cannot be used.
        case failed(ControllerSetup.Failure)
    }

    /// Why the controller is reset.
    public enum ResetReason: Equatable, Sendable {
        /// HCI_Hardware_Error, with the manufacturer's code. Core Vol 4, Part E, 7.7.16.
        case hardwareError(UInt8)
        /// It left several commands in a row unanswered.
        case unresponsive
        /// ``Host/restart(at:)`` was called.
        case requested
    }

    /// An event of advertising, scanning or connecting.
    public enum AirEvent: Equatable, Sendable {
        /// The controller advertises.
        case advertisingStarted
        /// The controller no longer advertises.
        case advertisingStopped(Advertiser.StopReason)
        /// Advertising failed.
        case advertisingFailed(Advertiser.Failure)
        /// The controller scans.
        case scanningStarted
        /// The controller no longer scans, because the owner stopped it.
        case scanningStopped
        /// Scanning could not be started, or failed.
        case scanningFailed(Scanner.Failure)
        /// A device was discovered, or its data have changed.
        case discovered(Discovery)
        /// The attempt to connect to this address has failed.
        case connectingFailed(DeviceAddress, Initiator.Failure)
    }

    /// An event of a link.
    public enum LinkEvent: Equatable, Sendable {
        /// It was established.
        indirect case connected(LinkDescription)
        /// It ended, for this reason.
        case disconnected(HCIStatus)
        /// The Central chose other connection parameters, or the data length changed.
        indirect case changed(LinkDescription)
        /// The Central decided about what ``Host/askForParameters(_:of:at:)`` asked for.
        case parameters(ConnectionParameterRequests.Outcome)
        /// As Central, the Peripheral requests connection parameters, by either protocol, and
        /// ``HostConfiguration/parameterAnswer`` leaves the answer to the owner, by
        /// ``Host/answerParameters(_:of:after:at:)``. Out of range (`ConnectionParameters.fault`), they are
        /// refused already.
        indirect case parametersRequested(ConnectionParameters)
        /// There is room for values again: ``Host/hasRoom(on:)``.
        case hasRoom
        /// The signal strength of the peer in dBm; `nil` if the controller did not report it.
        case rssi(Int8?)
    }

    /// An event of a link's security.
    public enum SecurityEvent: Equatable, Sendable {
        /// The protection of the link has changed.
        case changed(LinkSecurity)
        /// Pairing needs an answer from the user.
        case ask(SecurityManager.Question)
        /// Pairing succeeded. Without bonding, the keys are dropped with the link (Core Vol 3, Part C, 9.4).
        /// `replacesBond` says that there was a bond with the same identity, whose keys are gone.
        case paired(isBonded: Bool, replacesBond: Bool)
        /// Pairing or encryption failed; a pending question is withdrawn.
        case failed(SecurityManager.Failure)
    }
}

/// The state of a link.
public struct LinkDescription: Equatable, Sendable {
    /// The role of this device.
    public var role: LinkRole
    /// The address that this device had on air when the link was established.
    public var localAddress: DeviceAddress
    /// The address of the peer on air.
    public var peerAddress: DeviceAddress
    /// The identity address, if this is a bonded peer; `nil` for an unknown device.
    public var peerIdentity: DeviceAddress?
    /// The connection interval.
    public var interval: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip.
    public var latency: UInt16
    /// The time without a packet after which the link is lost.
    public var supervisionTimeout: SupervisionTimeout
}

/// Why a ``Host`` refused a call.
public enum HostUsageError: Error, Equatable, Sendable {
    /// The controller is not set up.
    case notReady
    /// There is no such connection.
    case unknownConnection
    /// The identity address is public, but is not the controller's.
    case addressNotAvailable
    /// There is already a link to the address.
    case alreadyConnected(ConnectionHandle)
    /// There are already as many links as the configuration allows.
    case tooManyConnections
    /// The attempt to connect was refused.
    case connecting(Initiator.UsageError)
    /// Advertising was refused.
    case advertising(Advertiser.UsageError)
    /// The Security Manager refused.
    case security(SecurityManager.UsageError)
    /// The ATT bearer refused.
    case bearer(ATTBearer.UsageError)
    /// The attribute table refused.
    case attributes(AttributeTable.UsageError)
    /// The request for parameters was refused.
    case signalling(LESignalling.UsageError)
    /// The command queue of the controller is full.
    case controllerBusy
    /// The controller does not support the command.
    case notSupported
}
