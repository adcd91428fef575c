public import Octets

extension HCI {
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
}
