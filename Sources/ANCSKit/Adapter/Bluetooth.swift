internal import BlueZ
public import HCITransports
internal import LinuxIO
package import OpenSSLSecurity

/// The Bluetooth adapter or controller that a ``NotificationConsumer``, a ``NotificationProvider`` or a
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

    /// A controller for the exclusive use of this process, by HCI, at a moniker such as
    /// `serial:/dev/ttyACM0`, `hci-socket:0` or `tcp-client:127.0.0.1:9001` (see `TransportMoniker`). If the
    /// moniker is invalid, the initializer that takes this value throws.
    public static func hci(
        _ moniker: String, store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        do throws(IOError) {
            let moniker = try TransportMoniker(parsing: moniker)
            return .hci(HCIConfiguration(moniker, store: store, pairing: pairing))
        } catch { return Bluetooth(place: .invalid(error)) }
    }

    /// A controller for the exclusive use of this process, by HCI, with all its options.
    public static func hci(_ configuration: HCIConfiguration) -> Bluetooth {
        Bluetooth(place: .hci(configuration))
    }

    /// An adapter of bluetoothd, shared with everything else on a Linux desktop: `any`, `hci0` or an address
    /// such as `00:1A:7D:DA:71:13`. Needs no privileges. Only for a ``NotificationConsumer``; if the adapter
    /// is invalid, its initializer throws.
    ///
    /// bluetoothd stores the bonds, and the desktop's settings show them.
    ///
    /// - Parameters:
    ///   - adapter: The adapter.
    ///   - ability: The input and output for the user while a phone pairs.
    ///   - window: When phones may start pairing.
    ///   - authentication: Whether pairing by Just Works is refused; see
    ///     ``RequiredProtection/authentication``. bluetoothd keeps the protection of bonds to itself, so
    ///     `always` is the same as `inPairing`.
    ///   - textsOnBus: Whether texts may come over the system bus, where every user of the machine can read
    ///     them, if bluetoothd does not hand over a socket for them. Without it, phones wait where bluetoothd
    ///     ends instead, as with SELinux policies before November 2025, and notifications come without texts
    ///     where it refuses.
    ///   - state: The directory in which it is kept what ended bluetoothd, so that it does not happen again in
    ///     the next run; `nil` to keep it for this run only.
    /// - Returns: The adapter to use.
    public static func bluez(
        _ adapter: String = "any", ability: PairingAbility = .noInputNoOutput,
        window: PairingWindow = .untilPhoneIsBonded,
        authentication: RequiredProtection.Authentication? = nil, textsOnBus: Bool = false,
        state: String? = nil
    ) -> Bluetooth {
        guard let name = AdapterName(adapter) else {
            let problem = "an adapter is 'any', an address or a name like hci0; not '\(adapter)'"
            return Bluetooth(place: .invalid(IOError(.invalidMoniker, problem)))
        }
        return Bluetooth(
            place: .bluez(
                BlueZConfiguration(
                    adapter: name, ability: ability, window: window,
                    authentication: authentication ?? .standard(with: ability),
                    allowsTextsOnBus: textsOnBus,
                    memory: state.map { DaemonMemory(directory: $0) })))
    }

    /// Whether ``bluez(_:ability:window:authentication:textsOnBus:state:)`` accepts an adapter: `any`, a name such as `hci0`, or an address.
    public static func isAdapter(_ text: String) -> Bool { AdapterName(text) != nil }

    /// The controller for the exclusive use of this process; throws for an adapter of bluetoothd.
    func controller() throws(DeviceError) -> HCIConfiguration {
        switch place {
        case .hci(let configuration): return configuration
        case .bluez:
            throw .configuration(
                "a controller of its own is needed, by HCI: bluetoothd cannot act as a phone, and "
                    + "shares its adapters with notification consumers only")
        case .invalid(let error): throw .transport(error)
        }
    }
}

/// An adapter of bluetoothd, and the options for pairing.
struct BlueZConfiguration: Sendable {
    var adapter: AdapterName
    var ability: PairingAbility
    var window: PairingWindow
    var authentication: RequiredProtection.Authentication
    /// Whether texts may be broadcast where the socket for them ends bluetoothd.
    var allowsTextsOnBus = false
    /// Where it is kept what ended bluetoothd; `nil` to keep it for this run only.
    var memory: DaemonMemory?
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

    /// The source of keys, addresses and identifiers; in a simulation they are predictable.
    package var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    package var hooks: TestHooks?

    /// A controller, with the most common options.
    public init(
        _ moniker: TransportMoniker, store: BondStore? = nil,
        pairing: PairingOptions = PairingOptions(), capture: BtsnoopWriter? = nil
    ) {
        self.moniker = moniker
        self.store = store
        self.pairing = pairing
        self.capture = capture
    }

    /// The event loop of whatever uses the controller: a shared one, that of a virtual controller, or a new
    /// one.
    func loop(sharing shared: EventLoop?) throws(DeviceError) -> EventLoop {
        if let shared { return shared }
        if case .virtual(let port) = moniker { return port.loop }
        do throws(IOError) { return try EventLoop() } catch { throw .transport(error) }
    }
}

extension AdapterConfiguration {
    /// A device with this controller. Options that are `nil` have the defaults of a device without a screen.
    /// No events are queued: nobody can read those of the own adapter of a consumer or a provider.
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
            capture: controller.capture, maximumPendingEvents: 0)
        toolbox = controller.toolbox
        hooks = controller.hooks
    }
}
