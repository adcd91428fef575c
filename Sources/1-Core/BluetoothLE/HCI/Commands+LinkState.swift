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

            /// Creates the return parameters of `HCI_Read_RSSI`, for a controller to send.
            public init(status: HCIStatus, handle: ConnectionHandle, rssi: Int8) {
                self.status = status
                self.handle = handle
                self.rssi = rssi
            }

            package static let layout = inOrder(Self.init) { ($0.status, $0.handle, $0.rssi) }
        }

        /// The connection.
        public var handle: ConnectionHandle

        /// Creates `HCI_Read_RSSI`, for a host to send.
        public init(handle: ConnectionHandle) { self.handle = handle }

        package static let layout = inOrder(Self.init) { $0.handle }
    }
}
