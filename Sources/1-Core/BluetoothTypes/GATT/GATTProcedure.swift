/// A procedure that a client can carry out at a server. Core Vol 3, Part G, 4.
public enum GATTProcedure: Equatable, Sendable {
    /// The form of a UUID on the wire.
    public enum UUIDForm: Equatable, Sendable {
        /// 2 octets if the UUID has a 16-bit form, otherwise 16.
        case shortest
        /// 16 octets, for servers that compare octets and store the long form.
        case full
    }

    /// Exchange MTU; result ``GATTResult/mtu(_:)``. 4.3.1.
    case exchangeMTU
    /// Discover All Primary Services; result ``GATTResult/services(_:)``. 4.4.1.
    case discoverPrimaryServices
    /// Discover Primary Service by Service UUID; result ``GATTResult/services(_:)``. 4.4.2.
    case discoverPrimaryServicesByUUID(BluetoothUUID, form: UUIDForm = .shortest)
    /// Discover All Secondary Services, like primary ones; result ``GATTResult/services(_:)``.
    case discoverSecondaryServices
    /// Find Included Services; result ``GATTResult/includedServices(_:)``. 4.5.1.
    case discoverIncludedServices(AttributeHandleRange)
    /// Discover Characteristics of a Service, all or those with a UUID; result
    /// ``GATTResult/characteristics(_:)``. 4.6.
    case discoverCharacteristics(AttributeHandleRange, uuid: BluetoothUUID? = nil)
    /// Discover All Characteristic Descriptors; result ``GATTResult/descriptors(_:)``. 4.7.1.
    case discoverDescriptors(AttributeHandleRange)
    /// Discover services with all their contents, either all services or the primary ones with a UUID; result
    /// ``GATTResult/database(_:)``.
    case discoverDatabase(service: BluetoothUUID? = nil)
    /// Read Characteristic Value or Descriptor, at most ATT_MTU - 1 octets; result
    /// ``GATTResult/value(_:)``. 4.8.1 and 4.12.1.
    case readValue(AttributeHandle)
    /// Read Long Characteristic Value or Descriptor, of any length; result
    /// ``GATTResult/value(_:)``. 4.8.3 and 4.12.2.
    case readLongValue(AttributeHandle)
    /// One part of a long value, at most ATT_MTU - 1 octets from an offset, so that other procedures come between
    /// the parts; result ``GATTResult/value(_:)``. 4.8.3.
    case readPart(AttributeHandle, offset: UInt16)
    /// Read Using Characteristic UUID, every value in the range; result
    /// ``GATTResult/values(_:)``. 4.8.2.
    case readByUUID(AttributeHandleRange, BluetoothUUID)
    /// Read Multiple Characteristic Values, of known lengths; result ``GATTResult/value(_:)``. 4.8.4.
    case readMultiple([AttributeHandle])
    /// Read Multiple Variable Length Characteristic Values; result ``GATTResult/values(_:)``. 4.8.5.
    case readMultipleVariable([AttributeHandle])
    /// Write Characteristic Value or Descriptor, by the long procedure if the value does not fit into one
    /// PDU; result ``GATTResult/done``. 4.9.3, 4.9.4 and 4.12.
    case writeValue(AttributeHandle, [UInt8])
    /// Write Long Characteristic Value or Descriptor. With `verifies`, the value is written only if the
    /// server has echoed every part of it; result ``GATTResult/done``. 4.9.4 and 4.9.5.
    case writeLongValue(AttributeHandle, [UInt8], verifies: Bool = true)
}

/// The result of a procedure.
public enum GATTResult: Equatable, Sendable {
    /// The procedure succeeded and has no data.
    case done
    /// The effective ATT_MTU in octets.
    case mtu(Int)
    /// Services without their contents, in order of handles.
    case services([RemoteDatabase.Service])
    /// Included services, in order of handles.
    case includedServices([RemoteDatabase.IncludedService])
    /// Characteristics without their descriptors, in order of handles.
    case characteristics([RemoteDatabase.Characteristic])
    /// Descriptors, in order of handles.
    case descriptors([RemoteDatabase.Descriptor])
    /// Services with all their contents.
    case database(RemoteDatabase)
    /// One value.
    case value([UInt8])
    /// Values, and their handles.
    case values([HandleValue])
}

/// Why a procedure failed.
public enum GATTFailure: Error, Equatable, Sendable {
    /// The server answered with an error about a handle.
    case errorResponse(ATTErrorCode, AttributeHandle)
    /// The server's response does not fit the request.
    case malformedResponse
    /// The server found more than any device has: more than 2048 attributes, or 64 values of one UUID.
    case tooManyResults
    /// The server did not echo the value correctly; nothing was written.
    case valueMismatch
    /// The server did not answer within 30 s; the bearer is dead. Core Vol 3, Part F, 3.3.3.
    case transactionTimedOut
    /// The connection ended, or an earlier transaction timed out.
    case closed
}
