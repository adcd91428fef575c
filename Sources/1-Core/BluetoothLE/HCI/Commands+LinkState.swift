extension HCI {
    /// `HCI_Read_RSSI`. Core Vol 4, Part E, 7.5.4.
    public struct ReadRSSI: HCICommand, PDUStructure {
        /// `HCI_Read_RSSI`
        public static let opcode = HCIOpcode.readRSSI

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            public var status: HCIStatus
            /// The connection.
            public var handle: ConnectionHandle
            /// The signal strength in dBm; 127 if unknown.
            public var rssi: Int8

            package static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.rssi) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        package static let layout = inOrder(Self.init) { $0.handle }
    }
}
