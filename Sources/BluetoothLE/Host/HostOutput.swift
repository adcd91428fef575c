/// What a ``Host`` does and tells. Everything about a connection lies between its `.connected` and its
/// `.disconnected`.
public enum HostOutput: Hashable, Sendable {
    /// Give the packet to the transport.
    case send(HCIPacket)
    /// The controller is set up.
    case ready(ControllerAbilities)
    /// The controller failed, or is to begin anew, and is being reset; its connections have ended.
    case resetting(ResetReason)
    /// The controller cannot be used.
    case failed(ControllerSetup.Failure)
    /// The advertisement is on air.
    case advertisingStarted
    /// The advertisement is off air.
    case advertisingStopped(Advertiser.StopReason)
    /// The advertisement could not be put on air.
    case advertisingFailed(Advertiser.Failure)
    /// The controller looks for devices.
    case scanningStarted
    /// The controller no longer looks for devices, because nobody wants it to.
    case scanningStopped
    /// The controller does not look for devices, or no longer.
    case scanningFailed(Scanner.Failure)
    /// A device was heard while scanning.
    case discovered(Discovery)
    /// There will be no link to this address.
    case connectingFailed(DeviceAddress, Initiator.Failure)
    /// A link was made.
    case connected(ConnectionHandle, LinkDescription)
    /// A link ended.
    case disconnected(ConnectionHandle, HCIStatus)
    /// The Central chose other connection parameters, or the data length changed.
    case linkChanged(ConnectionHandle, LinkDescription)
    /// There is room for values again on a link that had none: ``Host/hasRoom(on:)``.
    case linkHasRoom(ConnectionHandle)
    /// How strong the peer is heard, in dBm; `nil` where the controller did not say.
    case rssi(ConnectionHandle, Int8?)
    /// The link is protected differently from now on.
    case securityChanged(ConnectionHandle, LinkSecurity)
    /// Pairing needs the user.
    case ask(ConnectionHandle, SecurityManager.Question)
    /// Pairing succeeded. Without bonding the keys are gone with the link (Core Vol 3, Part C, 9.4).
    case paired(ConnectionHandle, isBonded: Bool)
    /// Pairing or encryption failed; a question that is still open is withdrawn.
    case securityFailed(ConnectionHandle, SecurityManager.Failure)
    /// Store the record, in the place of an earlier one with the same identity address.
    case bondChanged(BondRecord)
    /// Something about attributes happened.
    case attribute(ConnectionHandle, AttributeEvent)

    /// Why the controller is reset.
    public enum ResetReason: Hashable, Sendable {
        /// HCI_Hardware_Error, with the manufacturer's code. Core Vol 4, Part E, 7.7.16.
        case hardwareError(UInt8)
        /// It has left several commands in a row unanswered.
        case unresponsive
        /// ``Host/restart(at:)``: nothing is wrong with it.
        case requested
    }

    /// What happens on the ATT bearer of a connection.
    public enum AttributeEvent: Hashable, Sendable {
        /// The effective ATT_MTU changed.
        case mtuChanged(Int)
        /// The peer notified a value.
        case notification(AttributeHandle, [UInt8])
        /// The peer indicated a value; it has been confirmed.
        case indication(AttributeHandle, [UInt8])
        /// A procedure ended.
        case completed(ProcedureID, Result<GATTResult, GATTFailure>)
        /// The peer confirmed the indication of a value.
        case indicationConfirmed(AttributeHandle)
        /// The peer configured the characteristic with this value handle, be it as it was.
        case subscriptionChanged(AttributeHandle, ClientCharacteristicConfiguration)
        /// The peer wrote a value in the table.
        case valueWritten(AttributeHandle, [UInt8])
        /// The peer reads a dynamic attribute.
        case readRequested(ATTBearer.RequestToken, AttributeHandle)
        /// The peer writes dynamic attributes, all of them or none; without a token there is nothing
        /// to answer.
        case writeRequested(ATTBearer.RequestToken?, [AttributeWrite])
        /// The peer was refused access to an attribute because the link is not protected enough: it
        /// may pair now, or be paired with (``ATTErrorCode/asksForProtection``). Or it was refused a
        /// write that the attribute never takes. The code says which.
        case accessDenied(AttributeHandle, ATTErrorCode)
        /// The bearer is dead; the link is being ended.
        case failed(ATTBearer.Failure)
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
