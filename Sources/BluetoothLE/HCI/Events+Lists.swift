public import Octets

extension HCI {
    /// `HCI_Number_Of_Completed_Packets`. Core Vol 4, Part E, 7.7.19.
    public struct NumberOfCompletedPackets: HCIEventParameters {
        /// `HCI_Number_Of_Completed_Packets`
        public static let code = HCIEventCode.numberOfCompletedPackets

        /// What became free on one connection.
        public struct Entry: Hashable, Sendable {
            /// The connection.
            public var handle: ConnectionHandle
            /// How many of its packets have left the controller's buffers.
            public var count: UInt16

            /// A value of its fields.
            public init(handle: ConnectionHandle, count: UInt16) {
                self.handle = handle
                self.count = count
            }
        }

        /// One entry per connection.
        public var entries: [Entry]

        /// A value of its fields.
        public init(entries: [Entry]) { self.entries = entries }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            entries = []
            for _ in 0..<(try rest.takeUInt8()) {
                entries.append(
                    Entry(handle: try rest.takeHandle(), count: try rest.takeUInt16()))
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 + 4 * entries.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(UInt8(truncatingIfNeeded: entries.count))
            for entry in entries {
                output.append(littleEndian: entry.handle.rawValue)
                output.append(littleEndian: entry.count)
            }
        }
    }

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
}
