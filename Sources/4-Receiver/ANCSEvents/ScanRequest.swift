/// What a client scans for.
package struct ScanRequest: Equatable, Sendable {
    /// Devices that have one of these services, certainly or by their overflow area; empty for all devices.
    package var services: [BluetoothUUID] = []
    /// Devices that solicit one of these services.
    package var solicitedServices: [BluetoothUUID] = []
    /// Bonded devices too, whatever they advertise.
    package var includesBonded = false
    /// Whether other advertisers are reported too, as passed over.
    package var reportsOthers = false
    /// Whether to report an advertiser every time it is received, instead of only when it has news.
    package var allowsDuplicates = false
    /// Whether to request scan responses.
    package var isActive = true
    /// Whether to scan all the time, which leaves none for links.
    package var isContinuous = false

    /// A scan for all devices.
    package init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [],
        includesBonded: Bool = false, allowsDuplicates: Bool = false
    ) {
        (self.services, self.solicitedServices) = (services, solicitedServices)
        (self.includesBonded, self.allowsDuplicates) = (includesBonded, allowsDuplicates)
    }
}
