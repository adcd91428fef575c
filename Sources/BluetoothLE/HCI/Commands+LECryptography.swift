internal import Octets

extension HCI {
    /// `HCI_LE_Encrypt`. Core Vol 4, Part E, 7.8.22.
    public struct LEEncrypt: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Encrypt`
        public static let opcode = HCIOpcode.leEncrypt

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// What was encrypted.
            public var block: UInt128

            /// A value of its fields.
            public init(status: HCIStatus, block: UInt128) {
                self.status = status
                self.block = block
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), block: rest.take())
            }

            var fields: some HCIField { inOrder(status, block) }
        }

        /// The key.
        public var key: UInt128
        /// What is encrypted.
        public var block: UInt128

        /// A value of its fields.
        public init(key: UInt128, block: UInt128) {
            self.key = key
            self.block = block
        }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(key: rest.take(), block: rest.take())
        }

        var fields: some HCIField { inOrder(key, block) }
    }

    /// `HCI_LE_Rand`. Core Vol 4, Part E, 7.8.23.
    public struct LERand: HCICommand, HCIParameterless {
        /// `HCI_LE_Rand`
        public static let opcode = HCIOpcode.leRand

        /// What the command returns.
        public struct ReturnParameters: HCIReturnParameters, HCIFieldSequence {
            /// How the command ended.
            public var status: HCIStatus
            /// A random number.
            public var random: UInt64

            /// A value of its fields.
            public init(status: HCIStatus, random: UInt64) {
                self.status = status
                self.random = random
            }

            init(from rest: inout Span<UInt8>) throws(DecodingError) {
                try self.init(status: rest.take(), random: rest.take())
            }

            var fields: some HCIField { inOrder(status, random) }
        }

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Read_Local_P-256_Public_Key`. Core Vol 4, Part E, 7.8.36. Answered by
    /// HCI_Command_Status, later by its event.
    public struct LEReadLocalP256PublicKey: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Local_P-256_Public_Key`
        public static let opcode = HCIOpcode.leReadLocalP256PublicKey

        /// The command.
        public init() {}
    }

    /// `HCI_LE_Generate_DHKey [v1]`. Core Vol 4, Part E, 7.8.37. Answered by
    /// HCI_Command_Status, later by its event.
    public struct LEGenerateDHKey: HCICommand, HCIFieldSequence {
        /// `HCI_LE_Generate_DHKey`
        public static let opcode = HCIOpcode.leGenerateDHKey

        /// The public key of the other side.
        public var publicKey: P256PublicKey

        /// A value of its fields.
        public init(publicKey: P256PublicKey) { self.publicKey = publicKey }

        init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(publicKey: rest.take())
        }

        var fields: some HCIField { publicKey }
    }
}
