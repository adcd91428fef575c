public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Encrypt`. Core Vol 4, Part E, 7.8.22.
    public struct LEEncrypt: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Encrypt`
        public static let opcode = HCIOpcode.leEncrypt

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// The ciphertext.
            public var block: UInt128

            /// Creates the return parameters of `HCI_LE_Encrypt`, for a controller to send.
            public init(status: HCIStatus, block: UInt128) {
                self.status = status
                self.block = block
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), block: rest.take())
            }

            package var fields: some HCIField { inOrder(status, block) }
        }

        /// The key.
        public var key: UInt128
        /// The plaintext.
        public var block: UInt128

        /// Creates `HCI_LE_Encrypt`, for a host to send.
        public init(key: UInt128, block: UInt128) {
            self.key = key
            self.block = block
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(key: rest.take(), block: rest.take())
        }

        package var fields: some HCIField { inOrder(key, block) }
    }

    /// `HCI_LE_Rand`. Core Vol 4, Part E, 7.8.23.
    public struct LERand: HCICommand, HCIParameterless {
        /// `HCI_LE_Rand`
        public static let opcode = HCIOpcode.leRand

        /// The return parameters of the command.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// The status of the command.
            public var status: HCIStatus
            /// A random number.
            public var random: UInt64

            /// Creates the return parameters of `HCI_LE_Rand`, for a controller to send.
            public init(status: HCIStatus, random: UInt64) {
                self.status = status
                self.random = random
            }

            package init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), random: rest.take())
            }

            package var fields: some HCIField { inOrder(status, random) }
        }

        /// Creates `HCI_LE_Rand`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Read_Local_P-256_Public_Key`. Core Vol 4, Part E, 7.8.36. Answered by
    /// HCI_Command_Status, later by its event.
    public struct LEReadLocalP256PublicKey: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Local_P-256_Public_Key`
        public static let opcode = HCIOpcode.leReadLocalP256PublicKey

        /// Creates `HCI_LE_Read_Local_P-256_Public_Key`, for a host to send.
        public init() {}
    }

    /// `HCI_LE_Generate_DHKey [v1]`. Core Vol 4, Part E, 7.8.37. Answered by
    /// HCI_Command_Status, later by its event.
    public struct LEGenerateDHKey: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Generate_DHKey`
        public static let opcode = HCIOpcode.leGenerateDHKey

        /// The public key of the peer.
        public var publicKey: P256PublicKey

        /// Creates `HCI_LE_Generate_DHKey [v1]`, for a host to send.
        public init(publicKey: P256PublicKey) { self.publicKey = publicKey }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(publicKey: rest.take())
        }

        package var fields: some HCIField { publicKey }
    }
}
