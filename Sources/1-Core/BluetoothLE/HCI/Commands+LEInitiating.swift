package import Octets

extension HCI {
    /// `HCI_LE_Create_Connection`. Core Vol 4, Part E, 7.8.12. Answered by HCI_Command_Status.
    public struct LECreateConnection: HCICommand, PDUFieldSequence {
        /// `HCI_LE_Create_Connection`
        public static let opcode = HCIOpcode.leCreateConnection

        /// The interval between the starts of two scan windows.
        public var scanInterval: AdvertisingInterval
        /// The length of the scan window.
        public var scanWindow: AdvertisingInterval
        /// 0 connects to this peer, 1 to any peer on the filter accept list.
        public var filterPolicy: UInt8
        /// The peer, if the filter accept list is not used.
        public var peerAddress: DeviceAddress
        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The parameters of the connection.
        public var parameters: ConnectionParameters
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMinimum: UInt16
        /// A hint for the length of connection events, in units of 0.625 ms.
        public var eventLengthMaximum: UInt16

        package var fields: some PDUField {
            inOrder(
                inOrder(scanInterval.short, scanWindow.short, filterPolicy, peerAddress),
                inOrder(ownAddressType, parameters, eventLengthMinimum, eventLengthMaximum))
        }
    }

    /// `HCI_LE_Create_Connection_Cancel`. Core Vol 4, Part E, 7.8.13.
    public struct LECreateConnectionCancel: HCICommand, HCIParameterless {
        /// `HCI_LE_Create_Connection_Cancel`
        public static let opcode = HCIOpcode.leCreateConnectionCancel

        /// Creates `HCI_LE_Create_Connection_Cancel`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Extended_Create_Connection` [v1]. Core Vol 4, Part E, 7.8.66. Answered by
    /// HCI_Command_Status.
    public struct LEExtendedCreateConnection: HCICommand, PDUStructure {
        /// `HCI_LE_Extended_Create_Connection`
        public static let opcode = HCIOpcode.leExtendedCreateConnection

        /// The scan and connection parameters for one PHY.
        public struct Entry: HCIPHYEntry, Equatable, Sendable {
            /// LE 1M, LE 2M or LE Coded.
            public var phy: PHY
            /// The interval between the starts of two scan windows; at most 0xFFFF units.
            public var scanInterval: AdvertisingInterval
            /// The length of the scan window; at most 0xFFFF units.
            public var scanWindow: AdvertisingInterval
            /// The parameters of the connection.
            public var parameters: ConnectionParameters

            /// The hints about the length of connection events are 0.
            package var fields: some PDUField {
                inOrder(scanInterval.short, scanWindow.short, parameters, UInt16(0), UInt16(0))
            }
        }

        /// 0 connects to this peer, 1 to any peer on the filter accept list.
        public var filterPolicy: UInt8
        /// The kind of address that this device uses.
        public var ownAddressType: OwnAddressType
        /// The peer, if the filter accept list is not used.
        public var peerAddress: DeviceAddress
        /// One entry per PHY, in the order of the PHYs' codes.
        public var entries: [Entry]

        package static let layout = inOrder({
            Self(filterPolicy: $0, ownAddressType: $1, peerAddress: $2, entries: $3.entries)
        }) { ($0.filterPolicy, $0.ownAddressType, $0.peerAddress, HCIEntryPerPHY($0.entries)) }
    }
}

extension HCI.LECreateConnection {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(
            scanInterval: .init(short: rest.take()), scanWindow: .init(short: rest.take()),
            filterPolicy: rest.take(), peerAddress: rest.take(), ownAddressType: rest.take(),
            parameters: rest.take(), eventLengthMinimum: rest.take(),
            eventLengthMaximum: rest.take())
    }
}

extension HCI.LEExtendedCreateConnection.Entry {
    package init(on phy: PHY, from rest: inout Span<UInt8>) throws(DecodingError) {
        try self.init(
            phy: phy, scanInterval: .init(short: rest.take()),
            scanWindow: .init(short: rest.take()), parameters: rest.take())
        try rest.skip(4)
    }
}
