package import CommandKit
internal import HCITransports
package import VirtualBluetooth

// The options of a virtual radio.

extension CommandOption {
    /// `--seed`.
    package static func seed(_ path: any WritableKeyPath<Root, UInt64> & Sendable) -> Self {
        Self(
            "--seed", "N", .text("a whole number") { UInt64($0) }, replacing: path,
            "the seed of all random numbers (default: a new one each time)")
    }

    /// `--loss`.
    package static func loss(_ path: any WritableKeyPath<Root, Double> & Sendable) -> Self {
        Self(
            "--loss", "P", .number("a number from 0 to 1", in: 0...1), replacing: path,
            "the probability that a packet is lost on air, 0 to 1 (default: 0)")
    }

    /// `--order`.
    package static func order(_ path: any WritableKeyPath<Root, PacketOrder> & Sendable) -> Self {
        Self(
            "--order", "ORDER", .word(of: [("kept", .kept), ("usb", .usb)]), replacing: path,
            "the order of packets to the hosts: kept, or usb, with events and data up to 30 ms apart "
                + "(default: kept)")
    }

    /// `--fade`.
    package static func fade(_ path: any WritableKeyPath<Root, RadioFades?> & Sendable) -> Self {
        Self(
            "--fade", "MS,MS", .fades, into: path,
            "fades of the radio: their length, and the period in which there is one, such as "
                + "900,30000")
    }
}

extension Kind<RadioFades> {
    /// When the air fades, in milliseconds.
    package static let fades: Kind<RadioFades> = .text(
        "two numbers of milliseconds, of a fade and of the period in which there is one, such as "
            + "900,30000"
    ) { text in
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let length = numbers[0], let period = numbers[1], length > 0,
            length <= period, period <= 86_400_000
        else { return nil }
        return RadioFades(length: .milliseconds(length), period: .milliseconds(period))
    }
}

extension TransportMoniker {
    /// The value of `--listen`: where a host can connect to a controller of ours.
    package init(served text: String) throws(CommandSyntax.UsageError) {
        do throws(IOError) { self = try TransportMoniker(parsing: text) } catch {
            throw .init(message: error.message)
        }
        if case .hciSocket = self {
            throw .init(
                "--listen takes a place where a host can connect, not the controller '\(text)'")
        }
    }
}
