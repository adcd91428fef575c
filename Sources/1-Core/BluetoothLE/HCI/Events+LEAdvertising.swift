package import Octets

extension HCI {
    /// `HCI_LE_Advertising_Report`. Core Vol 4, Part E, 7.7.65.2. Controllers send one report per
    /// event. If there are several, all fields of a report come before those of the next one, as in
    /// other hosts and controllers.
    public struct LEAdvertisingReport: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Advertising_Report`
        public static let code = HCIEventCode.leAdvertisingReport

        /// A report about one advertiser.
        public struct Report: PDUStructure, Equatable, Sendable {
            /// 0: ADV_IND; 1: ADV_DIRECT_IND; 2: ADV_SCAN_IND; 3: ADV_NONCONN_IND; 4: SCAN_RSP.
            public var eventType: UInt8
            /// The advertiser.
            public var address: DeviceAddress
            /// Whether the controller resolved a private address to this one.
            public var isResolved = false
            /// The advertising data or the scan response.
            public var data: [UInt8]
            /// The signal strength in dBm; 127 if unknown.
            public var rssi: Int8

            package static let layout = inOrder({
                Self(
                    eventType: $0, address: $1.address ?? DeviceAddress(0, kind: .random),
                    isResolved: $1.isResolved, data: $2, rssi: $3)
            }) {
                (
                    $0.eventType, HeardAddress($0.address, isResolved: $0.isResolved), $0.data,
                    $0.rssi
                )
            }
        }

        /// The reports.
        public var reports: [Report]

        package static let layout = inOrder(Self.init) { $0.reports }
    }

    /// `HCI_LE_Extended_Advertising_Report`. Core Vol 4, Part E, 7.7.65.13.
    public struct LEExtendedAdvertisingReport: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Extended_Advertising_Report`
        public static let code = HCIEventCode.leExtendedAdvertisingReport

        /// A report about one advertiser.
        public struct Report: PDUFieldSequence, Equatable, Sendable {
            /// Bit 0: connectable, 1: scannable, 2: directed, 3: scan response, 4: legacy PDU; bits 5
            /// and 6: 0 complete, 1 more to come, 2 truncated.
            public var eventType: UInt16
            /// The advertiser; `nil` for an anonymous one.
            public var address: DeviceAddress?
            /// Whether the controller resolved a private address to this one.
            public var isResolved = false
            /// The PHY of the primary advertising channels.
            public var primaryPHY: PHY
            /// The PHY of the auxiliary packet; 0 for legacy PDUs.
            public var secondaryPHY: PHY
            /// The advertising SID; 0xFF if there is none.
            public var sid: UInt8
            /// The transmit power in dBm; 127 if unknown.
            public var transmitPower: Int8
            /// The signal strength in dBm; 127 if unknown.
            public var rssi: Int8
            /// The interval of periodic advertising in units of 1.25 ms; 0 for none.
            public var periodicInterval: UInt16
            /// The address that directed advertising is for.
            public var directAddress: DeviceAddress
            /// The advertising data or the scan response.
            public var data: [UInt8]

            /// A report of a legacy PDU, with the values for such a PDU in the other fields.
            public init(eventType: UInt16, address: DeviceAddress?, rssi: Int8, data: [UInt8]) {
                self.eventType = eventType
                self.address = address
                primaryPHY = .le1M
                secondaryPHY = PHY(rawValue: 0)
                sid = 0xFF
                transmitPower = 127
                self.rssi = rssi
                periodicInterval = 0
                directAddress = DeviceAddress(0, kind: .public)
                self.data = data
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                eventType = try rest.take()
                let heard = try rest.take() as HeardAddress
                address = heard.address
                isResolved = heard.isResolved
                primaryPHY = try rest.take()
                secondaryPHY = try rest.take()
                sid = try rest.take()
                transmitPower = try rest.take()
                rssi = try rest.take()
                periodicInterval = try rest.take()
                directAddress = try rest.take()
                data = try rest.take()
            }

            package var fields: some PDUField {
                inOrder(
                    inOrder(
                        eventType, HeardAddress(address, isResolved: isResolved), primaryPHY,
                        secondaryPHY, sid),
                    inOrder(transmitPower, rssi, periodicInterval, directAddress, data))
            }
        }

        /// The reports.
        public var reports: [Report]

        package static let layout = inOrder(Self.init) { $0.reports }
    }

    /// `HCI_LE_Advertising_Set_Terminated`. Core Vol 4, Part E, 7.7.65.18.
    public struct LEAdvertisingSetTerminated: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Advertising_Set_Terminated`
        public static let code = HCIEventCode.leAdvertisingSetTerminated

        /// Success if a connection ended it.
        public var status: HCIStatus
        /// The advertising set.
        public var set: UInt8
        /// The connection.
        public var handle: ConnectionHandle
        /// The number of advertising events, if it was limited.
        public var completedEvents: UInt8

        package static let layout = inOrder(Self.init) {
            ($0.status, $0.set, $0.handle, $0.completedEvents)
        }
    }
}
