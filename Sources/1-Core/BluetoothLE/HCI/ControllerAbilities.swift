/// The properties and features of a controller, as far as the host uses them; the result of
/// ``ControllerSetup``.
public struct ControllerAbilities: Equatable, Sendable {
    /// The controller's buffers for ACL data from the host.
    public struct Buffers: Equatable, Sendable {
        /// The size of a buffer in octets, without the packet header; at least 27.
        public var length: Int
        /// The number of buffers; at least 1.
        public var count: Int
        /// Whether LE and BR/EDR share the buffers: HCI_LE_Read_Buffer_Size returned 0.
        public var isShared: Bool

        /// Buffers for ACL data.
        public init(length: Int, count: Int, isShared: Bool = false) {
            self.length = length
            self.count = count
            self.isShared = isShared
        }
    }

    /// The HCI version: 6 is Bluetooth 4.0, 9 is 5.0; 0 if unknown.
    public var hciVersion: UInt8
    /// The company identifier of the manufacturer; 0xFFFF if unknown.
    public var manufacturer: UInt16
    /// Whether it is one of this package's virtual controllers, which have vendor-specific commands: these name
    /// no manufacturer, and ``virtualSubversion``.
    public var isVirtual: Bool
    /// The public address; `nil` if the controller has none, so that the host needs a static random address.
    public var publicAddress: DeviceAddress?
    /// The supported commands.
    public var commands: SupportedCommands
    /// The features of the link layer.
    public var features: LEFeatures
    /// The buffers for ACL data.
    public var buffers: Buffers
    /// The number of advertising sets; 0 without extended advertising.
    public var advertisingSets: Int
    /// The maximum length of advertising data in octets; 31 without extended advertising.
    public var maximumAdvertisingDataLength: Int

    /// Abilities; the defaults are those of a Bluetooth 4.0 controller that reports nothing.
    public init(
        hciVersion: UInt8 = 0, manufacturer: UInt16 = 0xFFFF, isVirtual: Bool = false,
        publicAddress: DeviceAddress? = nil, commands: SupportedCommands = .assumed,
        features: LEFeatures = [], buffers: Buffers = Buffers(length: 27, count: 1),
        advertisingSets: Int = 0, maximumAdvertisingDataLength: Int = 31
    ) {
        self.hciVersion = hciVersion
        self.manufacturer = manufacturer
        self.isVirtual = isVirtual
        self.publicAddress = publicAddress
        self.commands = commands
        self.features = features
        self.buffers = buffers
        self.advertisingSets = advertisingSets
        self.maximumAdvertisingDataLength = maximumAdvertisingDataLength
    }

    /// The HCI subversion of virtual controllers.
    public static var virtualSubversion: UInt16 { 0xFADE }

    /// Whether a command is supported.
    public func supports(_ opcode: HCIOpcode) -> Bool { commands.contains(opcode) }

    /// Whether to advertise with the extended commands: this needs the feature bit and all the commands,
    /// because some controllers have the commands without the feature.
    public var hasExtendedAdvertising: Bool {
        advertisingSets > 0 && features.contains(.extendedAdvertising)
            && supports(.leSetExtendedAdvertisingParameters)
            && supports(.leSetExtendedAdvertisingData)
            && supports(.leSetExtendedScanResponseData)
            && supports(.leSetExtendedAdvertisingEnable)
            && supports(.leSetAdvertisingSetRandomAddress)
    }

    /// Whether to scan and connect with the extended commands. Legacy and extended commands must not be mixed
    /// (Core Vol 4, Part E, 3.1.1).
    public var hasExtendedScanning: Bool {
        features.contains(.extendedAdvertising) && supports(.leSetExtendedScanParameters)
            && supports(.leSetExtendedScanEnable) && supports(.leExtendedCreateConnection)
    }
}
