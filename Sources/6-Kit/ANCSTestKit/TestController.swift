public import ANCSKit
package import HCIMonikers
internal import VirtualTransports
public import LinuxIO
internal import Synchronization

/// A Bluetooth controller of a ``TestBench``, for one device at a time. A device that is created after the
/// previous one was stopped, with the same store, is that device restarted.
public final class TestController: IdentityHashable, Sendable {
    /// The number of the controller on its bench, counted from 0.
    public var number: Int { port.controller.index }

    /// The connection to it, on the loop of the bench.
    package let port: VirtualPort
    private let seeds: SeededGenerator
    private let hooks: TestHooks
    private let starts = Atomic<UInt64>(0)

    init(_ port: VirtualPort, _ seeds: SeededGenerator, _ hooks: TestHooks) {
        self.port = port
        self.seeds = seeds.branch(2 + UInt64(port.controller.index))
        self.hooks = hooks
    }

    /// The argument for creating a device with this controller. The device runs on the loop of the bench, and
    /// is stopped at the end of the test.
    public func bluetooth(
        store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        var configuration = configuration
        configuration.store = store
        configuration.pairing = pairing
        return .hci(configuration)
    }

    /// The same, with all options. Each call has other random numbers: a restarted device must not draw the
    /// same ones again.
    public var configuration: HCIConfiguration {
        var seeds = seeds.branch(starts.wrappingAdd(1, ordering: .relaxed).newValue)
        var configuration = HCIConfiguration(.virtual(port))
        configuration.toolbox = OpenSSLToolbox(simulatedFrom: seeds.next())
        configuration.hooks = hooks
        return configuration
    }
}
