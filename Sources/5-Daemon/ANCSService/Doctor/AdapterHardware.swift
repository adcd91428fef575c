package import LinuxIO

/// The hardware of a Bluetooth interface.
package struct AdapterHardware: Equatable, Sendable {
    /// USB's vendor and product, such as `8087:0025`, or the device tree's name, such as
    /// `brcm,bcm43438-bt`; empty if the device is on another bus.
    package var identifier: String
    /// What the device calls itself; empty if it does not. Untrusted.
    package var product: String
    /// What the controller says of itself; `nil` if the kernel does not pass it on.
    package var version: ControllerVersion?

    package init(identifier: String, product: String = "", version: ControllerVersion? = nil) {
        (self.identifier, self.product, self.version) = (identifier, product, version)
    }

    /// From the kernel's `modalias` of the device: `usb:v8087p0025d0002…` or `of:NbluetoothT…Cbrcm,bcm43438-bt`
    /// (scripts/mod/file2alias.c of Linux).
    package init(modalias: String, product: String) {
        self.init(identifier: Self.identifier(modalias) ?? "", product: product)
    }

    private static func identifier(_ modalias: String) -> String? {
        if modalias.hasPrefix("usb:v") {
            let digits = modalias.dropFirst(5)
            let (vendor, rest) = (digits.prefix(4), digits.dropFirst(4))
            let product = rest.dropFirst().prefix(4)
            guard rest.first == "p",
                [vendor, product].allSatisfy({ $0.utf8.count == 4 && $0.allSatisfy(\.isHexDigit) })
            else { return nil }
            return "\(vendor):\(product)".lowercased()
        }
        // Other nodes are not of the controller: an older system attaches it to a serial port.
        guard modalias.hasPrefix("of:Nbluetooth"), let name = modalias.firstRange(of: "C") else {
            return nil
        }
        // The most specific name comes first.
        return modalias[name.upperBound...].split(separator: "C").first.map(String.init)
    }

    /// The maker, the chip or product, and the version: "Intel, USB 8087:0032, Bluetooth 5.3".
    package var description: String {
        let company = version.flatMap { KnownAdapter.makers[$0.company] }
        let name = company ?? (product.isEmpty ? nil : product.shortened)
        let bus = identifier.contains(":") ? "USB " + identifier : identifier.shortened
        return [name, bus.isEmpty ? nil : bus, version.map { Self.text(ofVersion: $0.hci) }]
            .compactMap { $0 }.joined(separator: ", ")
    }

    /// Assigned Numbers, 2.1.
    private static func text(ofVersion number: UInt8) -> String {
        let versions: [UInt8: String] = [
            6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4",
            14: "6.0", 15: "6.1",
        ]
        if let version = versions[number] { return "Bluetooth " + version }
        return number < 6 ? "older than Bluetooth 4.0" : "HCI version \(number)"
    }
}
