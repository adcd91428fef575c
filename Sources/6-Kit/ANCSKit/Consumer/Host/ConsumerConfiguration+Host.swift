package import LinuxIO

extension NotificationConsumer {
    /// A consumer that has not started, on an adapter that it shares with managers and other users. Starting
    /// the consumer starts the adapter; stopping it does not stop the adapter. If the adapter is stopped, the
    /// consumer ends with `ControllerFailure.stopped`. Throws for an adapter at bluetoothd, which a consumer uses by
    /// itself: `NotificationConsumer(_:at:)` with `.bluez()`. Every central that connects is treated as a phone, and requested to secure its link.
    public init(
        _ configuration: ConsumerConfiguration, at adapter: BluetoothAdapter
    ) throws(DeviceError) {
        let advertisement = try configuration.advertisement()
        self.init(
            configuration,
            try ConsumerAccess(configuration, adapter, ownsAdapter: false, advertisement))
    }
}

extension ConsumerAccess {
    fileprivate init(
        _ configuration: ConsumerConfiguration, _ adapter: BluetoothAdapter, ownsAdapter: Bool,
        _ advertisement: AdvertisementData
    ) throws(DeviceError) {
        let host = try adapter.hostForANCS()
        self.init(
            port: HostPort(
                adapter, host, ownsAdapter: ownsAdapter, advertisement: advertisement,
                configuration),
            memory: try configuration.remembered(host.storage.toolbox),
            loop: adapter.loop, hooks: adapter.hooks)
    }
}

extension HCIConfiguration: BluetoothStack {
    /// What a consumer is made of that has this controller for itself.
    package func access(
        for configuration: ConsumerConfiguration, on loop: EventLoop?
    ) throws(DeviceError) -> ConsumerAccess {
        let advertisement = try configuration.advertisement()
        let adapter = try BluetoothAdapter(
            configuration.adapter(at: self), on: try self.loop(sharing: loop))
        return try ConsumerAccess(configuration, adapter, ownsAdapter: true, advertisement)
    }
}

// The configuration for our own host.
extension ConsumerConfiguration {
    /// The advertisement of an accessory that uses ANCS (S30): flags, the solicitation, and as much of the name as
    /// fits beside them, which every phone receives. More of a longer name is in the scan response, which iOS
    /// often does not request. While phones may pair, ``Face`` may change it.
    func advertisement() throws(DeviceError) -> AdvertisementData {
        try checkName()
        return AdvertisementData(localName: name, solicitedServiceUUIDs: [.ancs])
    }

    /// The configuration of an exclusive adapter. It has room for a phone beside other devices, which may
    /// turn out not to be phones.
    func adapter(at controller: HCIConfiguration) -> AdapterConfiguration {
        // Nobody can read the events of the consumer's own adapter.
        var adapter = AdapterConfiguration(
            name: name, controller: controller, maximumPendingEvents: 0)
        adapter.controller.maximumConnections = max(adapter.maximumConnections, maximumProviders)
        let authentication = controller.pairing.requiredProtection.authentication
        adapter.controller.pairing.requiredProtection.authentication =
            authentication ?? .standard(with: adapter.pairingAbility)
        return adapter
    }
}

extension ConsumerConfiguration.Face {
    /// The service that is in the first packet beside the name; `nil` for the solicitation in its place.
    var leadingService: BluetoothUUID? {
        switch self {
        case .solicitation: nil
        case .heartRate: BluetoothUUID(UInt16(0x180D))
        }
    }
}
