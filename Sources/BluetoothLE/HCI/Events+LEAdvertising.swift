public import Octets

extension HCI {
    /// `HCI_LE_Advertising_Report`. Core Vol 4, Part E, 7.7.65.2. Controllers send one report per
    /// event; the fields of each report are taken one report after the other, as controllers and hosts
    /// do it.
    public struct LEAdvertisingReport: HCIEventParameters {
        /// `HCI_LE_Advertising_Report`
        public static let code = HCIEventCode.leAdvertisingReport

        /// What was heard of one advertiser.
        public struct Report: Hashable, Sendable {
            /// 0: ADV_IND; 1: ADV_DIRECT_IND; 2: ADV_SCAN_IND; 3: ADV_NONCONN_IND; 4: SCAN_RSP.
            public var eventType: UInt8
            /// The advertiser.
            public var address: DeviceAddress
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
        }

        /// The reports.
        public var reports: [Report]

        /// A value of its fields.
        public init(reports: [Report]) { self.reports = reports }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            reports = []
            for _ in 0..<(try rest.takeUInt8()) {
                reports.append(
                    Report(
                        eventType: try rest.takeUInt8(), address: try rest.takeTypedAddress(),
                        data: try rest.takeOctets(Int(try rest.takeUInt8())),
                        rssi: Int8(bitPattern: try rest.takeUInt8())))
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { reports.reduce(1) { $0 + 10 + $1.data.count } }

        /// Appends the parameters, report by report.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(UInt8(truncatingIfNeeded: reports.count))
            for report in reports {
                output.append(report.eventType)
                output.append(typedAddress: report.address)
                output.append(data: report.data)
                output.append(UInt8(bitPattern: report.rssi))
            }
        }
    }

    /// `HCI_LE_Extended_Advertising_Report`. Core Vol 4, Part E, 7.7.65.13.
    public struct LEExtendedAdvertisingReport: HCIEventParameters {
        /// `HCI_LE_Extended_Advertising_Report`
        public static let code = HCIEventCode.leExtendedAdvertisingReport

        /// What was heard of one advertiser.
        public struct Report: Hashable, Sendable {
            /// Bit 0: connectable, 1: scannable, 2: directed, 3: scan response, 4: legacy PDU; bits 5
            /// and 6: 0 complete, 1 more to come, 2 truncated.
            public var eventType: UInt16
            /// The advertiser; `nil` for an anonymous one.
            public var address: DeviceAddress?
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
                eventType = try rest.takeUInt16()
                let type = try rest.takeUInt8()
                let value = try rest.takeUInt48()
                address =
                    type == 0xFF
                    ? nil : DeviceAddress(value, kind: type & 1 == 0 ? .public : .random)
                primaryPHY = PHY(rawValue: try rest.takeUInt8())
                secondaryPHY = PHY(rawValue: try rest.takeUInt8())
                sid = try rest.takeUInt8()
                transmitPower = Int8(bitPattern: try rest.takeUInt8())
                rssi = Int8(bitPattern: try rest.takeUInt8())
                periodicInterval = try rest.takeUInt16()
                directAddress = try rest.takeTypedAddress()
                data = try rest.takeOctets(Int(try rest.takeUInt8()))
            }

            func encode(into output: inout OutputSpan<UInt8>) {
                output.append(littleEndian: eventType)
                output.append(address?.kind.rawValue ?? 0xFF)
                output.append(address: address ?? DeviceAddress(0, kind: .public))
                output.append(primaryPHY.rawValue)
                output.append(secondaryPHY.rawValue)
                output.append(sid)
                output.append(UInt8(bitPattern: transmitPower))
                output.append(UInt8(bitPattern: rssi))
                output.append(littleEndian: periodicInterval)
                output.append(typedAddress: directAddress)
                output.append(data: data)
            }
        }

        /// The reports.
        public var reports: [Report]

        /// A value of its fields.
        public init(reports: [Report]) { self.reports = reports }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            reports = []
            for _ in 0..<(try rest.takeUInt8()) { reports.append(try Report(from: &rest)) }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { reports.reduce(1) { $0 + 24 + $1.data.count } }

        /// Appends the parameters, report by report.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(UInt8(truncatingIfNeeded: reports.count))
            for report in reports { report.encode(into: &output) }
        }
    }

    /// `HCI_LE_Advertising_Set_Terminated`. Core Vol 4, Part E, 7.7.65.18.
    public struct LEAdvertisingSetTerminated: HCIEventParameters {
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

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            status = try rest.takeStatus()
            set = try rest.takeUInt8()
            handle = try rest.takeHandle()
            completedEvents = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 5 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(status.rawValue)
            output.append(set)
            output.append(littleEndian: handle.rawValue)
            output.append(completedEvents)
        }
    }
}
