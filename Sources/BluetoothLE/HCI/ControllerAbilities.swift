/// What a controller is and can do, as far as the host uses it; the result of ``ControllerSetup``.
public struct ControllerAbilities: Hashable, Sendable {
    /// The controller's buffers for ACL data from the host.
    public struct Buffers: Hashable, Sendable {
        /// The size of one in octets, without the packet header; at least 27.
        public var length: Int
        /// How many there are; at least 1.
        public var count: Int
        /// Whether LE and BR/EDR share them: HCI_LE_Read_Buffer_Size gave 0.
        public var isShared: Bool

        /// Buffers for ACL data.
        public init(length: Int, count: Int, isShared: Bool = false) {
            self.length = length
            self.count = count
            self.isShared = isShared
        }
    }

    /// HCI version: 6 is Bluetooth 4.0, 9 is 5.0; 0 where the controller does not say.
    public var hciVersion: UInt8
    /// The company identifier of the manufacturer; 0xFFFF where the controller does not say.
    public var manufacturer: UInt16
    /// The public address, or `nil` where the controller has none: the host then needs a static
    /// random address.
    public var publicAddress: DeviceAddress?
    /// The commands it takes.
    public var commands: SupportedCommands
    /// The features of its link layer.
    public var features: LEFeatures
    /// Its buffers.
    public var buffers: Buffers
    /// How many advertising sets it has; 0 without extended advertising.
    public var advertisingSets: Int
    /// How many octets of advertising data it takes; 31 without extended advertising.
    public var maximumAdvertisingDataLength: Int

    /// Abilities; unless said otherwise those of a Bluetooth 4.0 controller that says nothing.
    public init(
        hciVersion: UInt8 = 0, manufacturer: UInt16 = 0xFFFF, publicAddress: DeviceAddress? = nil,
        commands: SupportedCommands = .assumed, features: LEFeatures = [],
        buffers: Buffers = Buffers(length: 27, count: 1), advertisingSets: Int = 0,
        maximumAdvertisingDataLength: Int = 31
    ) {
        self.hciVersion = hciVersion
        self.manufacturer = manufacturer
        self.publicAddress = publicAddress
        self.commands = commands
        self.features = features
        self.buffers = buffers
        self.advertisingSets = advertisingSets
        self.maximumAdvertisingDataLength = maximumAdvertisingDataLength
    }

    /// Whether a command may be sent.
    public func supports(_ opcode: HCIOpcode) -> Bool { commands.contains(opcode) }

    /// Whether to advertise with the extended commands: the feature bit and every command it takes.
    /// Controllers exist that have the commands without the feature.
    public var hasExtendedAdvertising: Bool {
        advertisingSets > 0 && features.contains(.extendedAdvertising)
            && supports(.leSetExtendedAdvertisingParameters)
            && supports(.leSetExtendedAdvertisingData)
            && supports(.leSetExtendedScanResponseData)
            && supports(.leSetExtendedAdvertisingEnable)
            && supports(.leSetAdvertisingSetRandomAddress)
    }

    /// Whether to scan and connect with the extended commands. Legacy and extended commands must not
    /// be mixed (Core Vol 4, Part E, 3.1.1).
    public var hasExtendedScanning: Bool {
        features.contains(.extendedAdvertising) && supports(.leSetExtendedScanParameters)
            && supports(.leSetExtendedScanEnable) && supports(.leExtendedCreateConnection)
    }
}
