extension AdapterObject {
    /// Whether BR/EDR is turned on. The class is 0 without BR/EDR, and also on a machine that does not know what it is, such
    /// as a single-board computer; the services of the Service Discovery Protocol, among them always *PnP Information*
    /// (0x1200), are there only with it.
    package var hasBasicRate: Bool {
        classOfDevice != 0 || services.contains { Self.isServiceClass($0) }
    }

    /// Whether a UUID is a service class or profile of Assigned Numbers 3.3; GATT services begin at 0x1800 (3.4.1).
    private static func isServiceClass(_ uuid: String) -> Bool {
        let uuid = uuid.lowercased()
        guard uuid.hasPrefix("0000"), uuid.hasSuffix("-0000-1000-8000-00805f9b34fb"),
            let number = UInt16(uuid.dropFirst(4).prefix(4), radix: 16)
        else { return false }
        return (0x1000..<0x1800).contains(number)
    }
}
