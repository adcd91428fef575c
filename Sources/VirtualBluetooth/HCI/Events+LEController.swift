public import BluetoothLE
package import Octets

extension HCI {
    /// `HCI_LE_Read_Local_P-256_Public_Key_Complete`. Core Vol 4, Part E, 7.7.65.8.
    public struct LEReadLocalP256PublicKeyComplete: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Read_Local_P-256_Public_Key_Complete`
        public static let code = HCIEventCode.leReadLocalP256PublicKeyComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The public key of this device.
        public var publicKey: P256PublicKey

        /// Creates `HCI_LE_Read_Local_P-256_Public_Key_Complete`, for a controller to send.
        public init(status: HCIStatus, publicKey: P256PublicKey) {
            self.status = status
            self.publicKey = publicKey
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(status: rest.take(), publicKey: rest.take())
        }

        package var fields: some HCIField { inOrder(status, publicKey) }
    }

    /// `HCI_LE_Generate_DHKey_Complete`. Core Vol 4, Part E, 7.7.65.9.
    public struct LEGenerateDHKeyComplete: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Generate_DHKey_Complete`
        public static let code = HCIEventCode.leGenerateDHKeyComplete

        /// The status of the command.
        public var status: HCIStatus
        /// The shared secret; all ones on failure.
        public var sharedSecret: P256Scalar

        /// Creates `HCI_LE_Generate_DHKey_Complete`, for a controller to send.
        public init(status: HCIStatus, sharedSecret: P256Scalar) {
            self.status = status
            self.sharedSecret = sharedSecret
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(status: rest.take(), sharedSecret: rest.take())
        }

        package var fields: some HCIField { inOrder(status, sharedSecret) }
    }

    /// `HCI_LE_Directed_Advertising_Report`. Core Vol 4, Part E, 7.7.65.11. One report.
    public struct LEDirectedAdvertisingReport: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Directed_Advertising_Report`
        public static let code = HCIEventCode.leDirectedAdvertisingReport

        /// 1
        public var count: UInt8
        /// 1: ADV_DIRECT_IND.
        public var eventType: UInt8
        /// 0 public, 1 random; bit 1: resolved.
        public var addressType: UInt8
        /// The advertiser.
        public var address: DeviceAddress
        /// The address that it is for: a private address that the controller could not resolve.
        public var directAddress: DeviceAddress
        /// The signal strength in dBm; 127 if unknown.
        public var rssi: Int8

        /// Creates `HCI_LE_Directed_Advertising_Report`, for a controller to send.
        public init(
            count: UInt8, eventType: UInt8, addressType: UInt8, address: DeviceAddress,
            directAddress: DeviceAddress, rssi: Int8
        ) {
            self.count = count
            self.eventType = eventType
            self.addressType = addressType
            self.address = address
            self.directAddress = directAddress
            self.rssi = rssi
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(
                count: rest.take(), eventType: rest.take(), addressType: rest.take(),
                address: DeviceAddress(rest.takeUInt48(), kind: .random),
                directAddress: rest.take(), rssi: rest.take())
        }

        package var fields: some HCIField {
            inOrder(
                inOrder(count, eventType, addressType),
                inOrder(address.untyped, directAddress, rssi))
        }
    }

    /// `HCI_LE_Scan_Request_Received`. Core Vol 4, Part E, 7.7.65.19.
    public struct LEScanRequestReceived: HCIEventParameters, HCIFieldSequence {
        /// `HCI_LE_Scan_Request_Received`
        public static let code = HCIEventCode.leScanRequestReceived

        /// The advertising set.
        public var set: UInt8
        /// The device that asked for the scan response.
        public var scanner: DeviceAddress

        /// Creates `HCI_LE_Scan_Request_Received`, for a controller to send.
        public init(set: UInt8, scanner: DeviceAddress) {
            self.set = set
            self.scanner = scanner
        }

        package init(from rest: inout Span<UInt8>) throws(DecodingError) {
            try self.init(set: rest.take(), scanner: rest.take())
        }

        package var fields: some HCIField { inOrder(set, scanner) }
    }
}
