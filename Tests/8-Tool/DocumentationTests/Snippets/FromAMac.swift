// swift-format-ignore-file
import ANCSTestKit

// The code of Documentation/FromAMac.md.
enum FromAMacSnippets {
    /// A program for Core Bluetooth: this module must not depend on it.
    final class Monitor {}

    static func test(on bench: isolated TestBench) throws -> Monitor {
        let monitor = try bench.withCoreBluetooth { Monitor() }    // creates its CBCentralManager
        return monitor
    }
}
