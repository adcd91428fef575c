internal import BlueZ
public import LinuxIO

/// Where the Bluetooth is that a ``NotificationConsumer``, a ``NotificationProvider`` or a
/// ``BluetoothAdapter`` uses.
///
///     let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
///     let consumer = try NotificationConsumer(name: "Desk", at: .hci("serial:/dev/ttyACM0"))
///
/// Nothing is opened until the consumer, the provider or the adapter starts.
public struct Bluetooth: Sendable {
    enum Place: Sendable {
        case hci(HCIConfiguration)
        case bluez(BlueZConfiguration)
        case invalid(IOError)
    }

    let place: Place

    /// A controller that this process alone uses, by HCI: at a moniker such as `serial:/dev/ttyACM0`,
    /// `hci-socket:0` or `tcp-client:127.0.0.1:9001` (`TransportMoniker`). An
    /// invalid moniker is thrown by the initializer that the place is given to.
    public static func hci(
        _ moniker: String, store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        do throws(IOError) {
            let moniker = try TransportMoniker(parsing: moniker)
            return .hci(HCIConfiguration(moniker, store: store, pairing: pairing))
        } catch { return Bluetooth(place: .invalid(error)) }
    }

    /// A controller that this process alone uses, by HCI, with everything that can be said of it.
    public static func hci(_ configuration: HCIConfiguration) -> Bluetooth {
        Bluetooth(place: .hci(configuration))
    }

    /// An adapter of bluetoothd, which every Linux desktop has, beside whatever else uses it: `any`, `hci0` or
    /// an address such as `00:1A:7D:DA:71:13`. It needs no privileges. For a ``NotificationConsumer`` only; an
    /// invalid adapter is thrown by its initializer.
    ///
    /// The bonds are bluetoothd's, which keeps them, and the user's settings show them.
    ///
    /// - Parameters:
    ///   - adapter: Which adapter.
    ///   - ability: What the user can be shown and asked while a phone pairs.
    ///   - window: When phones may pair from here.
    /// - Returns: The place.
    public static func bluez(
        _ adapter: String = "any", ability: PairingAbility = .noInputNoOutput,
        window: PairingWindow = .untilPhoneIsBonded
    ) -> Bluetooth {
        guard let name = AdapterName(adapter) else {
            let problem = "an adapter is 'any', one such as hci0, or an address, not '\(adapter)'"
            return Bluetooth(place: .invalid(IOError(.invalidMoniker, problem)))
        }
        return Bluetooth(
            place: .bluez(BlueZConfiguration(adapter: name, ability: ability, window: window)))
    }

    /// Whether ``bluez(_:ability:window:)`` takes an adapter: `any`, one such as `hci0`, or an address.
    public static func isAdapter(_ text: String) -> Bool { AdapterName(text) != nil }

    /// The controller, where the place has one for this process alone.
    func controller() throws(DeviceError) -> HCIConfiguration {
        switch place {
        case .hci(let configuration): return configuration
        case .bluez:
            throw .configuration(
                "this needs a controller for itself, by HCI: bluetoothd cannot be a phone, and lends "
                    + "its adapters to notification consumers only")
        case .invalid(let error): throw .transport(error)
        }
    }
}

/// An adapter of bluetoothd, and how phones pair there.
struct BlueZConfiguration: Sendable {
    var adapter: AdapterName
    var ability: PairingAbility
    var window: PairingWindow
}

/// A controller that is used by HCI, what is stored of the device behind it, and its limits.
public struct HCIConfiguration: Sendable {
    /// Where the controller is.
    public var moniker: TransportMoniker
    /// Where the identity, the bonds and the known peers are kept; `nil` forgets them at the end. The
    /// file is locked as long as the device lives.
    public var store: BondStore?
    /// How the device pairs.
    public var pairing: PairingOptions
    /// Whether the device is on air with resolvable private addresses; `nil` for what suits it: a phone
    /// is, any other device is not.
    public var usesPrivateAddress: Bool?
    /// How many links there may be at once; `nil` for 8, or as many as a phone serves accessories.
    public var maximumConnections: Int?
    /// How many bonds are kept, another one in the place of the one that was used longest ago; `nil` for
    /// twice as many as a phone has accessories, and 64 at least.
    public var maximumBonds: Int?
    /// The largest ATT_MTU that is agreed to, 23 to 517 octets.
    public var maximumMTU = 517
    /// Records the HCI packets.
    public var capture: BtsnoopWriter?

    /// The source of its keys, addresses and identifiers; a simulation's are no secrets.
    package var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    package var hooks: TestHooks?

    /// A controller, and what is most often said of it.
    public init(
        _ moniker: TransportMoniker, store: BondStore? = nil,
        pairing: PairingOptions = PairingOptions(), capture: BtsnoopWriter? = nil
    ) {
        self.moniker = moniker
        self.store = store
        self.pairing = pairing
        self.capture = capture
    }

    /// The loop of what uses the controller: a shared one, that of a virtual controller, or one of its own.
    func loop(sharing shared: EventLoop?) throws(DeviceError) -> EventLoop {
        if let shared { return shared }
        if case .virtual(let port) = moniker { return port.loop }
        do throws(IOError) { return try EventLoop() } catch { throw .transport(error) }
    }
}

extension AdapterConfiguration {
    /// A device at a controller. What the controller's configuration leaves open is as for a device
    /// without a screen.
    init(_ controller: HCIConfiguration, name: String, appearance: UInt16 = 0) {
        self.init(
            name: name, transport: controller.moniker, store: controller.store,
            appearance: appearance, pairingAbility: controller.pairing.ability ?? .noInputNoOutput,
            pairing: controller.pairing.policy, pairingWindow: controller.pairing.window,
            requiredProtection: controller.pairing.requiredProtection,
            lostKeys: controller.pairing.lostKeys,
            usesPrivateAddress: controller.usesPrivateAddress ?? false,
            maximumConnections: controller.maximumConnections ?? 8,
            maximumBonds: controller.maximumBonds ?? 64, maximumMTU: controller.maximumMTU,
            capture: controller.capture)
        toolbox = controller.toolbox
        hooks = controller.hooks
    }
}
