public import ANCSKit
package import LinuxIO
internal import Octets
internal import Synchronization
internal import VirtualBluetooth

/// A Bluetooth controller of a ``TestBench``: where one device is at a time. A device that is made when
/// the one before was stopped is the same device, started again, if it has the same store.
public final class TestController: Sendable {
    /// Which controller of its bench this is, from 0.
    public var number: Int { port.controller.index }

    /// The way to it, on the loop of the bench.
    package let port: VirtualPort
    private let seeds: SeededGenerator
    private let hooks: TestHooks
    private let starts = Atomic<UInt64>(0)

    init(_ port: VirtualPort, _ seeds: SeededGenerator, _ hooks: TestHooks) {
        self.port = port
        self.seeds = seeds.branch(2 + UInt64(port.controller.index))
        self.hooks = hooks
    }

    /// Where the Bluetooth is, for a device to be made. What is made with it runs on the loop of the bench,
    /// and is stopped at the end of the test.
    public func bluetooth(
        store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        var configuration = configuration
        configuration.store = store
        configuration.pairing = pairing
        return .hci(configuration)
    }

    /// The same with everything that can be said of it. Another one has other random numbers: a device
    /// that drew the same again when it is started again would be no device.
    public var configuration: HCIConfiguration {
        var seeds = seeds.branch(starts.wrappingAdd(1, ordering: .relaxed).newValue)
        var configuration = HCIConfiguration(.virtual(port))
        configuration.toolbox = OpenSSLToolbox(simulatedFrom: seeds.next())
        configuration.hooks = hooks
        return configuration
    }
}

extension TestController: Hashable {
    /// Whether both are the same controller.
    public static func == (left: TestController, right: TestController) -> Bool { left === right }

    /// Hashes which object this is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
