internal import BluetoothLE
extension HCI {
    /// `HCI_LE_Read_Local_P-256_Public_Key_Complete`. Core Vol 4, Part E, 7.7.65.8.
    struct LEReadLocalP256PublicKeyComplete: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Read_Local_P-256_Public_Key_Complete`
        static let code = HCIEventCode.leReadLocalP256PublicKeyComplete

        /// The status of the command.
        var status: HCIStatus
        /// The public key of this device.
        var publicKey: P256PublicKey

        static let layout = inOrder(Self.init) { ($0.status, $0.publicKey) }
    }

    /// `HCI_LE_Generate_DHKey_Complete`. Core Vol 4, Part E, 7.7.65.9.
    struct LEGenerateDHKeyComplete: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Generate_DHKey_Complete`
        static let code = HCIEventCode.leGenerateDHKeyComplete

        /// The status of the command.
        var status: HCIStatus
        /// The shared secret; all ones on failure.
        var sharedSecret: P256Scalar

        static let layout = inOrder(Self.init) { ($0.status, $0.sharedSecret) }
    }

    /// `HCI_LE_Directed_Advertising_Report`. Core Vol 4, Part E, 7.7.65.11. One report.
    struct LEDirectedAdvertisingReport: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Directed_Advertising_Report`
        static let code = HCIEventCode.leDirectedAdvertisingReport

        /// 1
        var count: UInt8
        /// 1: ADV_DIRECT_IND.
        var eventType: UInt8
        /// 0 public, 1 random; bit 1: resolved.
        var addressType: UInt8
        /// The advertiser.
        var address: DeviceAddress
        /// The address that it is for: a private address that the controller could not resolve.
        var directAddress: DeviceAddress
        /// The signal strength in dBm; 127 if unknown.
        var rssi: Int8

        static let layout = inOrder({
            Self(
                count: $0, eventType: $1, addressType: $2, address: $3.address(.random),
                directAddress: $4, rssi: $5)
        }) {
            ($0.count, $0.eventType, $0.addressType, $0.address.untyped, $0.directAddress, $0.rssi)
        }
    }

    /// `HCI_LE_Scan_Request_Received`. Core Vol 4, Part E, 7.7.65.19.
    struct LEScanRequestReceived: HCIEventParameters, PDUStructure {
        /// `HCI_LE_Scan_Request_Received`
        static let code = HCIEventCode.leScanRequestReceived

        /// The advertising set.
        var set: UInt8
        /// The device that asked for the scan response.
        var scanner: DeviceAddress

        static let layout = inOrder(Self.init) { ($0.set, $0.scanner) }
    }
}
