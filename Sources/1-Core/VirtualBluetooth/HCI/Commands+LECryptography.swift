internal import BluetoothLE

extension HCI {
    /// `HCI_LE_Encrypt`. Core Vol 4, Part E, 7.8.22.
    struct LEEncrypt: HCICommand, PDUStructure {
        /// `HCI_LE_Encrypt`
        static let opcode = HCIOpcode.leEncrypt

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// The ciphertext.
            var block: UInt128

            static let layout = inOrder(Self.init) { ($0.status, $0.block) }
        }

        /// The key.
        var key: UInt128
        /// The plaintext.
        var block: UInt128

        static let layout = inOrder(Self.init) { ($0.key, $0.block) }
    }

    /// `HCI_LE_Rand`. Core Vol 4, Part E, 7.8.23.
    struct LERand: HCICommand, HCIParameterless {
        /// `HCI_LE_Rand`
        static let opcode = HCIOpcode.leRand

        /// The return parameters of the command.
        struct ReturnParameters: HCIReturnParameters, PDUStructure {
            /// The status of the command.
            var status: HCIStatus
            /// A random number.
            var random: UInt64

            static let layout = inOrder(Self.init) { ($0.status, $0.random) }
        }
    }

    /// `HCI_LE_Read_Local_P-256_Public_Key`. Core Vol 4, Part E, 7.8.36. Answered by
    /// HCI_Command_Status, later by its event.
    struct LEReadLocalP256PublicKey: HCICommand, HCIParameterless {
        /// `HCI_LE_Read_Local_P-256_Public_Key`
        static let opcode = HCIOpcode.leReadLocalP256PublicKey
    }

    /// `HCI_LE_Generate_DHKey [v1]`. Core Vol 4, Part E, 7.8.37. Answered by
    /// HCI_Command_Status, later by its event.
    struct LEGenerateDHKey: HCICommand, PDUStructure {
        /// `HCI_LE_Generate_DHKey`
        static let opcode = HCIOpcode.leGenerateDHKey

        /// The public key of the peer.
        var publicKey: P256PublicKey

        static let layout = inOrder(Self.init) { $0.publicKey }
    }
}
