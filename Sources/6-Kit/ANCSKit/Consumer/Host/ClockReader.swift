internal import BluetoothLE

/// Reads a phone's Current Time service through our own host, and subscribes to its time, one procedure after
/// the other: requests of the session come between them.
///
///     idle ─▶ time ─▶ zone ─▶ descriptors ─▶ subscription ─▶ idle
///               └──────┴───────────┴──────▶ idle, if the time is not there, or it is subscribed to
///
/// A phone without the service, or that refuses, is left alone until it is asked again.
struct ClockReader: Sendable {
    enum Output: Equatable, Sendable {
        /// Start a procedure; report its result with the same purpose.
        case start(GATTProcedure, Purpose)
        /// The value of a characteristic was read or notified.
        case value(BluetoothUUID, [UInt8])
        /// The reading is over.
        case ended
    }

    /// The purpose of a procedure.
    enum Purpose: Equatable, Sendable {
        case time
        case zone
        case descriptors
        case subscription
    }

    /// How far behind a value its configuration descriptor is looked for: the descriptors of a characteristic
    /// follow its value, and this one has at most a description and properties beside it.
    private static let descriptorReach: UInt16 = 4

    private var purpose: Purpose?
    /// The handle of the time, once it was read.
    private var timeHandle: AttributeHandle?
    private var isSubscribed = false
    /// Whether the handles have changed since the current reading began.
    private var isStale = false
    private var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Reads the clock. If a reading is under way, that one counts.
    mutating func read() {
        guard purpose == nil else { return }
        isStale = false
        start(.readByUUID(.all, .currentTime), .time)
    }

    /// The services in this range have changed. If the clock is among them, its handles may be others, and
    /// the next reading finds them.
    mutating func servicesChanged(in range: AttributeHandleRange) {
        if let timeHandle, !range.overlaps(AttributeHandleRange(timeHandle, timeHandle)) { return }
        timeHandle = nil
        isSubscribed = false
        isStale = true
    }

    /// The phone sent a notification or an indication.
    mutating func receive(_ event: ATTBearer.ValueEvent) {
        guard isSubscribed, case .notification(let handle, let value) = event, handle == timeHandle
        else { return }
        outputs.append(.value(.currentTime, value))
    }

    /// A procedure has ended.
    mutating func completed(_ ended: Purpose, _ result: Result<GATTResult, GATTFailure>) {
        guard purpose == ended else { return }
        switch (ended, result) {
        case (.time, .success(.values(let values))):
            guard let time = values.first else { return end() }
            if !isStale { timeHandle = time.handle }
            outputs.append(.value(.currentTime, time.value))
            start(.readByUUID(.all, .localTimeInformation), .zone)
        case (.time, _): end()
        case (.zone, .success(.values(let values))):
            if let zone = values.first { outputs.append(.value(.localTimeInformation, zone.value)) }
            findDescriptor()
        case (.zone, _): findDescriptor()
        case (.descriptors, .success(.descriptors(let found))):
            // Behind the next declaration, it belongs to another characteristic.
            let own = found.prefix { $0.type != .characteristic }
            let configuration = own.first { $0.type == .clientCharacteristicConfiguration }
            guard let descriptor = configuration, !isStale else { return end() }
            let value = ClientCharacteristicConfiguration.notification.octets
            start(.writeValue(descriptor.handle, value), .subscription)
        case (.descriptors, _): end()
        case (.subscription, .success):
            isSubscribed = !isStale
            end()
        case (.subscription, .failure): end()
        }
    }

    private mutating func findDescriptor() {
        guard !isSubscribed, let handle = timeHandle?.rawValue, handle < UInt16.max else {
            return end()
        }
        let last = UInt16(clamping: Int(handle) + Int(Self.descriptorReach))
        let range = AttributeHandleRange(AttributeHandle(handle + 1), AttributeHandle(last))
        start(.discoverDescriptors(range), .descriptors)
    }

    private mutating func start(_ procedure: GATTProcedure, _ purpose: Purpose) {
        self.purpose = purpose
        outputs.append(.start(procedure, purpose))
    }

    private mutating func end() {
        purpose = nil
        outputs.append(.ended)
    }
}
