public import HCITransports
internal import ANCSReceiver
internal import LinuxIO
package import OpenSSLSecurity

extension Bluetooth {
    /// A controller for the exclusive use of this process, by HCI, at a moniker such as
    /// `serial:/dev/ttyACM0`, `hci-socket:0` or `tcp-client:127.0.0.1:9001` (see `TransportMoniker`). If the
    /// moniker is invalid, the initializer that takes this value throws.
    public static func hci(
        _ moniker: String, store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        do throws(IOError) {
            let moniker = try TransportMoniker(parsing: moniker)
            return .hci(HCIConfiguration(moniker, store: store, pairing: pairing))
        } catch { return Bluetooth(invalid: error) }
    }

    /// A controller for the exclusive use of this process, by HCI, with all its options.
    public static func hci(_ configuration: HCIConfiguration) -> Bluetooth {
        Bluetooth(configuration)
    }

    /// The same place, where `tap` sees the packets of HCI, if it has any.
    package func tapped(_ tap: @escaping PacketTap) -> Bluetooth {
        guard case .success(var configuration as HCIConfiguration) = stack else { return self }
        configuration.tap = tap
        return .hci(configuration)
    }

    private func existingStack() throws(DeviceError) -> any BluetoothStack {
        do throws(IOError) { return try stack.get() } catch { throw .transport(error) }
    }

    /// The adapter of bluetoothd; `nil` for a controller of its own.
    func adapterOfBlueZ() throws(DeviceError) -> BlueZConfiguration? {
        try existingStack() as? BlueZConfiguration
    }

    /// The controller for the exclusive use of this process; throws for an adapter of bluetoothd.
    func controller() throws(DeviceError) -> HCIConfiguration {
        guard let configuration = try existingStack() as? HCIConfiguration else {
            throw .configuration(
                "a controller of its own is needed, by HCI: bluetoothd cannot act as a phone")
        }
        return configuration
    }
}

/// A controller used by HCI, the storage of the device, and its limits.
public struct HCIConfiguration: Sendable {
    /// The place of the controller.
    public var moniker: TransportMoniker
    /// Where the identity, the bonds and the known peers are stored; `nil` keeps them only in memory. The
    /// file is locked while the device exists.
    public var store: BondStore?
    /// The options for pairing.
    public var pairing: PairingOptions
    /// Whether the device uses resolvable private addresses; `nil` for the default: only a phone does.
    public var usesPrivateAddress: Bool?
    /// How many links there may be at once; `nil` for 8, or as many as a phone serves accessories.
    public var maximumConnections: Int?
    /// How many bonds are kept; a new one replaces the one whose last use was longest ago. `nil` for twice as
    /// many as a phone serves accessories, and at least 64.
    public var maximumBonds: Int?
    /// The largest ATT_MTU to negotiate, 23 to 517 octets.
    public var maximumMTU = 517
    /// Records the HCI packets.
    public var capture: BtsnoopWriter?

    /// Sees the HCI packets.
    package var tap: PacketTap?
    /// The source of keys, addresses and identifiers; in a simulation they are predictable.
    package var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    package var hooks: TestHooks?

    /// A controller, with the most common options.
    public init(
        _ moniker: TransportMoniker, store: BondStore? = nil,
        pairing: PairingOptions = PairingOptions(), capture: BtsnoopWriter? = nil
    ) {
        (self.moniker, self.store, self.pairing, self.capture) = (moniker, store, pairing, capture)
    }

    /// The event loop of whatever uses the controller: a shared one, that of a virtual controller, or a new
    /// one.
    func loop(sharing shared: EventLoop?) throws(DeviceError) -> EventLoop {
        if let shared { return shared }
        if case .virtual(let port) = moniker { return port.loop }
        do throws(IOError) { return try EventLoop() } catch { throw .transport(error) }
    }
}

extension BlueZConfiguration {
    /// What was asked for that only a consumer can have at bluetoothd; `nil` if all is possible.
    var faultWithManagers: String? {
        if window != nil {
            "an adapter at bluetoothd has no pairing window: which devices may pair with this machine is "
                + "said by its settings (bluetoothctl pairable)"
        } else if let authentication, authentication != .none {
            "an adapter at bluetoothd cannot require authentication: bluetoothd does not say how keys "
                + "were made"
        } else if allowsTextsOnBus {
            "only a consumer of notifications has texts: what a Central reads, bluetoothd always broadcasts"
        } else if bonds != nil {
            "only a consumer of notifications chooses which bonds count"
        } else {
            nil
        }
    }
}
