public import Octets

extension HCI {
    /// `HCI_Read_Local_Supported_Commands`. Core Vol 4, Part E, 7.4.2.
    public struct ReadLocalSupportedCommands: HCICommand {
        /// `HCI_Read_Local_Supported_Commands`
        public static let opcode = HCIOpcode.readLocalSupportedCommands

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters {
            /// How the command ended.
            public var status: HCIStatus
            /// The commands.
            public var commands: SupportedCommands

            /// A value of its fields.
            public init(status: HCIStatus, commands: SupportedCommands) {
                self.status = status
                self.commands = commands
            }

            /// Decodes the parameters; octets that follow are ignored.
            public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
                var rest = parameters
                status = try rest.takeStatus()
                commands = try SupportedCommands(decoding: rest)
            }

            /// 65
            public var encodedCount: Int { 65 }

            /// Appends status and mask.
            public func encode(into output: inout OutputSpan<UInt8>) {
                output.append(status.rawValue)
                output.append(octets: commands.octets)
            }
        }

        /// The command.
        public init() {}

        /// Decodes the parameters: none.
        public init(decoding parameters: Span<UInt8>) throws(DecodingError) {}

        /// 0
        public var encodedCount: Int { 0 }

        /// Appends nothing.
        public func encode(into output: inout OutputSpan<UInt8>) {}
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
}
