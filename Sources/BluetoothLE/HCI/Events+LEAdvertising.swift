internal import Octets

extension HCI {
    /// `HCI_LE_Advertising_Report`. Core Vol 4, Part E, 7.7.65.2. Controllers send one report per
    /// event; the fields of each report are taken one report after the other, as controllers and hosts
    /// do it.
    public struct LEAdvertisingReport: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Advertising_Report`
        public static let code = HCIEventCode.leAdvertisingReport

        /// What was heard of one advertiser.
        public struct Report: HCIFieldSequence, Hashable, Sendable {
            /// 0: ADV_IND; 1: ADV_DIRECT_IND; 2: ADV_SCAN_IND; 3: ADV_NONCONN_IND; 4: SCAN_RSP.
            public var eventType: UInt8
            /// The advertiser.
            public var address: DeviceAddress
            /// Whether the controller resolved a private address to this one.
            public var isResolved = false
            /// The advertising data or the scan response.
            public var data: [UInt8]
            /// The signal strength in dBm; 127 where it is unknown.
            public var rssi: Int8

            /// A value of its fields.
            public init(eventType: UInt8, address: DeviceAddress, data: [UInt8], rssi: Int8) {
                self.eventType = eventType
                self.address = address
                self.data = data
                self.rssi = rssi
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                eventType = try rest.take()
                let heard = try rest.take() as HeardAddress
                address = heard.address ?? DeviceAddress(0, kind: .random)
                isResolved = heard.isResolved
                data = try rest.take()
                rssi = try rest.take()
            }

            var fields: some HCIField {
                inOrder(eventType, HeardAddress(address, isResolved: isResolved), data, rssi)
            }
        }

        /// The reports.
        public var reports: [Report]

        /// A value of its fields.
        public init(reports: [Report]) { self.reports = reports }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(reports: rest.take())
        }

        var fields: some HCIField { reports }
    }

    /// `HCI_LE_Extended_Advertising_Report`. Core Vol 4, Part E, 7.7.65.13.
    public struct LEExtendedAdvertisingReport: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Extended_Advertising_Report`
        public static let code = HCIEventCode.leExtendedAdvertisingReport

        /// What was heard of one advertiser.
        public struct Report: HCIFieldSequence, Hashable, Sendable {
            /// Bit 0: connectable, 1: scannable, 2: directed, 3: scan response, 4: legacy PDU; bits 5
            /// and 6: 0 complete, 1 more to come, 2 truncated.
            public var eventType: UInt16
            /// The advertiser; `nil` for an anonymous one.
            public var address: DeviceAddress?
            /// Whether the controller resolved a private address to this one.
            public var isResolved = false
            /// Where advertising begins.
            public var primaryPHY: PHY
            /// Where the data were sent; 0 for legacy PDUs.
            public var secondaryPHY: PHY
            /// The advertising SID; 0xFF where there is none.
            public var sid: UInt8
            /// In dBm; 127 where it is unknown.
            public var transmitPower: Int8
            /// The signal strength in dBm; 127 where it is unknown.
            public var rssi: Int8
            /// In units of 1.25 ms; 0 for none.
            public var periodicInterval: UInt16
            /// To whom directed advertising is addressed.
            public var directAddress: DeviceAddress
            /// The advertising data or the scan response.
            public var data: [UInt8]

            /// A report of a legacy PDU, unless more is set afterwards.
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

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
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

            var fields: some HCIField {
                inOrder(
                    inOrder(
                        eventType, HeardAddress(address, isResolved: isResolved), primaryPHY,
                        secondaryPHY, sid),
                    inOrder(transmitPower, rssi, periodicInterval, directAddress, data))
            }
        }

        /// The reports.
        public var reports: [Report]

        /// A value of its fields.
        public init(reports: [Report]) { self.reports = reports }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(reports: rest.take())
        }

        var fields: some HCIField { reports }
    }

    /// `HCI_LE_Advertising_Set_Terminated`. Core Vol 4, Part E, 7.7.65.18.
    public struct LEAdvertisingSetTerminated: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Advertising_Set_Terminated`
        public static let code = HCIEventCode.leAdvertisingSetTerminated

        /// Success where a connection ended it.
        public var status: HCIStatus
        /// The advertising set.
        public var set: UInt8
        /// The connection.
        public var handle: ConnectionHandle
        /// How many extended advertising events there were, where their number was limited.
        public var completedEvents: UInt8

        /// A value of its fields.
        public init(status: HCIStatus, set: UInt8, handle: ConnectionHandle, completedEvents: UInt8)
        {
            self.status = status
            self.set = set
            self.handle = handle
            self.completedEvents = completedEvents
        }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                status: rest.take(), set: rest.take(), handle: rest.take(),
                completedEvents: rest.take())
        }

        var fields: some HCIField { inOrder(status, set, handle, completedEvents) }
    }
}
