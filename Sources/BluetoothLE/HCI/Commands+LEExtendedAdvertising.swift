public import Octets

extension HCI {
    /// `HCI_LE_Set_Advertising_Set_Random_Address`. Core Vol 4, Part E, 7.8.52.
    public struct LESetAdvertisingSetRandomAddress: HCICommand {
        /// `HCI_LE_Set_Advertising_Set_Random_Address`
        public static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// Its random address.
        public var address: DeviceAddress

        /// A value of its fields.
        public init(set: UInt8, address: DeviceAddress) {
            self.set = set
            self.address = address
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
            address = DeviceAddress(try rest.takeUInt48(), kind: .random)
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 7 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
            output.append(address: address)
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Parameters` [v1]. Core Vol 4, Part E, 7.8.53.
    public struct LESetExtendedAdvertisingParameters: HCICommand {
        /// `HCI_LE_Set_Extended_Advertising_Parameters`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// In dBm.
            public var selectedTransmitPower: Int8

            /// A value of its fields.
            public init(status: HCIStatus, selectedTransmitPower: Int8) {
                self.status = status
                self.selectedTransmitPower = selectedTransmitPower
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                selectedTransmitPower = Int8(bitPattern: try rest.takeUInt8())
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 2 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(UInt8(bitPattern: selectedTransmitPower))
            }
        }

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// What is put on air.
        public var properties: AdvertisingEventProperties
        /// The shortest interval that will do.
        public var intervalMinimum: AdvertisingInterval
        /// The longest interval that will do.
        public var intervalMaximum: AdvertisingInterval
        /// On which channels.
        public var channels: AdvertisingChannels
        /// Under which address.
        public var ownAddressType: OwnAddressType
        /// To whom, for directed advertising.
        public var peerAddress: DeviceAddress
        /// 0: everybody may scan and connect.
        public var filterPolicy: UInt8
        /// In dBm; 127 for no preference.
        public var transmitPower: Int8
        /// Where advertising begins.
        public var primaryPHY: PHY
        /// How many events may pass before the auxiliary packet.
        public var secondaryMaximumSkip: UInt8
        /// Where the auxiliary packet is sent.
        public var secondaryPHY: PHY
        /// The advertising SID, 0 to 15.
        public var sid: UInt8
        /// Whether scan requests are reported.
        public var notifiesScanRequests: Bool

        /// A value of its fields.
        public init(
            set: UInt8, properties: AdvertisingEventProperties,
            intervalMinimum: AdvertisingInterval, intervalMaximum: AdvertisingInterval,
            channels: AdvertisingChannels, ownAddressType: OwnAddressType,
            peerAddress: DeviceAddress, filterPolicy: UInt8, transmitPower: Int8, primaryPHY: PHY,
            secondaryMaximumSkip: UInt8, secondaryPHY: PHY, sid: UInt8, notifiesScanRequests: Bool
        ) {
            self.set = set
            self.properties = properties
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.channels = channels
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.filterPolicy = filterPolicy
            self.transmitPower = transmitPower
            self.primaryPHY = primaryPHY
            self.secondaryMaximumSkip = secondaryMaximumSkip
            self.secondaryPHY = secondaryPHY
            self.sid = sid
            self.notifiesScanRequests = notifiesScanRequests
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
            properties = AdvertisingEventProperties(rawValue: try rest.takeUInt16())
            intervalMinimum = AdvertisingInterval(rawValue: try rest.takeUInt24())
            intervalMaximum = AdvertisingInterval(rawValue: try rest.takeUInt24())
            channels = AdvertisingChannels(rawValue: try rest.takeUInt8())
            ownAddressType = OwnAddressType(rawValue: try rest.takeUInt8())
            peerAddress = try rest.takeTypedAddress()
            filterPolicy = try rest.takeUInt8()
            transmitPower = Int8(bitPattern: try rest.takeUInt8())
            primaryPHY = PHY(rawValue: try rest.takeUInt8())
            secondaryMaximumSkip = try rest.takeUInt8()
            secondaryPHY = PHY(rawValue: try rest.takeUInt8())
            sid = try rest.takeUInt8()
            notifiesScanRequests = try rest.takeUInt8() & 1 != 0
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 25 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
            output.append(littleEndian: properties.rawValue)
            output.append(littleEndian: intervalMinimum.rawValue, octets: 3)
            output.append(littleEndian: intervalMaximum.rawValue, octets: 3)
            output.append(channels.rawValue)
            output.append(ownAddressType.rawValue)
            output.append(typedAddress: peerAddress)
            output.append(filterPolicy)
            output.append(UInt8(bitPattern: transmitPower))
            output.append(primaryPHY.rawValue)
            output.append(secondaryMaximumSkip)
            output.append(secondaryPHY.rawValue)
            output.append(sid)
            output.append(notifiesScanRequests ? 1 : 0)
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Data`. Core Vol 4, Part E, 7.8.54.
    public struct LESetExtendedAdvertisingData: HCICommand {
        /// `HCI_LE_Set_Extended_Advertising_Data`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingData

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// 3: the complete data.
        public var operation: UInt8
        /// 1: the controller should not fragment.
        public var fragmentPreference: UInt8
        /// At most 251 octets.
        public var data: [UInt8]

        /// A value of its fields.
        public init(set: UInt8, operation: UInt8, fragmentPreference: UInt8, data: [UInt8]) {
            self.set = set
            self.operation = operation
            self.fragmentPreference = fragmentPreference
            self.data = data
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
            operation = try rest.takeUInt8()
            fragmentPreference = try rest.takeUInt8()
            data = try rest.takeOctets(Int(try rest.takeUInt8()))
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 + data.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
            output.append(operation)
            output.append(fragmentPreference)
            output.append(data: data)
        }
    }

    /// `HCI_LE_Set_Extended_Scan_Response_Data`. Core Vol 4, Part E, 7.8.55.
    public struct LESetExtendedScanResponseData: HCICommand {
        /// `HCI_LE_Set_Extended_Scan_Response_Data`
        public static let opcode = HCIOpcode.leSetExtendedScanResponseData

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        /// 3: the complete data.
        public var operation: UInt8
        /// 1: the controller should not fragment.
        public var fragmentPreference: UInt8
        /// At most 251 octets.
        public var data: [UInt8]

        /// A value of its fields.
        public init(set: UInt8, operation: UInt8, fragmentPreference: UInt8, data: [UInt8]) {
            self.set = set
            self.operation = operation
            self.fragmentPreference = fragmentPreference
            self.data = data
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
            operation = try rest.takeUInt8()
            fragmentPreference = try rest.takeUInt8()
            data = try rest.takeOctets(Int(try rest.takeUInt8()))
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 4 + data.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
            output.append(operation)
            output.append(fragmentPreference)
            output.append(data: data)
        }
    }

    /// `HCI_LE_Set_Extended_Advertising_Enable`. Core Vol 4, Part E, 7.8.56.
    public struct LESetExtendedAdvertisingEnable: HCICommand {
        /// `HCI_LE_Set_Extended_Advertising_Enable`
        public static let opcode = HCIOpcode.leSetExtendedAdvertisingEnable
        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// One advertising set and how long it is on air.
        public struct Entry: Hashable, Sendable {
            /// The advertising set, 0 to 0xEF.
            public var set: UInt8
            /// In units of 10 ms; 0 for ever.
            public var duration: UInt16
            /// How many events at most; 0 for no limit.
            public var maximumEvents: UInt8

            /// A set that stays on air until it is switched off, unless limits are given.
            public init(set: UInt8, duration: UInt16 = 0, maximumEvents: UInt8 = 0) {
                self.set = set
                self.duration = duration
                self.maximumEvents = maximumEvents
            }
        }

        /// On or off air.
        public var isEnabled: Bool
        /// Which sets; none with `isEnabled` false is all. At most 63 fit into a command.
        public var sets: [Entry]

        /// A value of its fields.
        public init(isEnabled: Bool, sets: [Entry]) {
            self.isEnabled = isEnabled
            self.sets = sets
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            isEnabled = try rest.takeUInt8() & 1 != 0
            sets = []
            for _ in 0..<(try rest.takeUInt8()) {
                sets.append(
                    Entry(
                        set: try rest.takeUInt8(), duration: try rest.takeUInt16(),
                        maximumEvents: try rest.takeUInt8()))
            }
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 2 + 4 * sets.count }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(isEnabled ? 1 : 0)
            output.append(UInt8(truncatingIfNeeded: sets.count))
            for entry in sets {
                output.append(entry.set)
                output.append(littleEndian: entry.duration)
                output.append(entry.maximumEvents)
            }
        }
    }

    /// `HCI_LE_Read_Maximum_Advertising_Data_Length`. Core Vol 4, Part E, 7.8.57.
    public struct LEReadMaximumAdvertisingDataLength: HCICommand {
        /// `HCI_LE_Read_Maximum_Advertising_Data_Length`
        public static let opcode = HCIOpcode.leReadMaximumAdvertisingDataLength

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// 31 to 1650 octets.
            public var length: UInt16

            /// A value of its fields.
            public init(status: HCIStatus, length: UInt16) {
                self.status = status
                self.length = length
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                length = try rest.takeUInt16()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 3 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(littleEndian: length)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
        }
    }

    /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`. Core Vol 4, Part E, 7.8.58.
    public struct LEReadNumberOfSupportedAdvertisingSets: HCICommand {
        /// `HCI_LE_Read_Number_Of_Supported_Advertising_Sets`
        public static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// How many sets there can be.
            public var count: UInt8

            /// A value of its fields.
            public init(status: HCIStatus, count: UInt8) {
                self.status = status
                self.count = count
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                count = try rest.takeUInt8()
            }

            /// The size of the parameters in octets.
            public var encodedCount: Int { 2 }

            /// Appends the parameters in the order of the specification.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(count)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
        }
    }

    /// `HCI_LE_Remove_Advertising_Set`. Core Vol 4, Part E, 7.8.59.
    public struct LERemoveAdvertisingSet: HCICommand {
        /// `HCI_LE_Remove_Advertising_Set`
        public static let opcode = HCIOpcode.leRemoveAdvertisingSet

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The advertising set, 0 to 0xEF.
        public var set: UInt8

        /// A value of its fields.
        public init(set: UInt8) {
            self.set = set
        }

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
            var rest = parameters
            set = try rest.takeUInt8()
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 1 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
            output.append(set)
        }
    }

    /// `HCI_LE_Clear_Advertising_Sets`. Core Vol 4, Part E, 7.8.60.
    public struct LEClearAdvertisingSets: HCICommand {
        /// `HCI_LE_Clear_Advertising_Sets`
        public static let opcode = HCIOpcode.leClearAdvertisingSets

        /// The status alone.
        public typealias ReturnParameters = HCIStatus

        /// The command.
        public init() {}

        /// Decodes the parameters; octets that follow are ignored.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        }

        /// The size of the parameters in octets.
        public var encodedCount: Int { 0 }

        /// Appends the parameters in the order of the specification.
        public func encode(into output: inout OutputSpan<UInt8>) {
        }
    }
}
