internal import BluetoothLE

/// Uses a service of a phone beside ANCS through our own host: finds it, follows its changes, and carries out one request
/// after the other. Values are read in parts, so that requests of ANCS wait for one of them at most.
///
///     searching ─▶ available ──Service Changed──▶ searching
///         └──────▶ absent ─────Service Changed──▶ searching
struct CompanionLink: Sendable {
    enum Output: Equatable, Sendable {
        /// Start a procedure; report its result with the same purpose.
        case start(GATTProcedure, Purpose)
        /// Store the discovered service with the bond.
        case keep(RemoteDatabase.Service)
        /// Report this to whoever uses the service.
        case report(CompanionEvent)
    }

    /// The purpose of a procedure.
    enum Purpose: Equatable, Sendable {
        case search
        case request(CompanionRequest, era: Int)
        /// The next part of a value, of which this is known.
        case part(BluetoothUUID, [UInt8], era: Int)
    }

    private enum State {
        case searching(isStale: Bool)
        case available(RemoteDatabase.Service)
        case absent
    }

    /// The longest value that an attribute can have. Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    private let uuid: BluetoothUUID
    private var state = State.absent
    /// How often the service was found: results of requests to an earlier one do not count.
    private var era = 0
    /// Whether a handle was invalid although no change was indicated: it is searched for once more.
    private var hasMoved = false
    private var outputs = Queue<Output>()

    /// Searches for a service, unless it is stored from an earlier link.
    init(_ uuid: BluetoothUUID, stored: RemoteDatabase.Service?) {
        self.uuid = uuid
        if let stored {
            found(stored)
        } else {
            search()
        }
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: The service

    private mutating func search() {
        state = .searching(isStale: false)
        outputs.append(.start(.discoverDatabase(service: uuid), .search))
    }

    private mutating func found(_ service: RemoteDatabase.Service) {
        era += 1
        state = .available(service)
        outputs.append(.report(.available(service.characteristics.map(\.uuid))))
    }

    private mutating func lost() {
        outputs.append(.report(.unavailable))
        search()
    }

    /// The phone's services in this range have changed.
    mutating func servicesChanged(in range: AttributeHandleRange) {
        hasMoved = false
        switch state {
        case .searching: state = .searching(isStale: true)
        case .available(let service): if range.overlaps(service.range) { lost() }
        case .absent: search()
        }
    }

    private mutating func searchEnded(_ result: Result<GATTResult, GATTFailure>) {
        guard case .searching(let isStale) = state else { return }
        guard !isStale else { return search() }
        guard case .success(.database(let database)) = result, let service = database.service(uuid)
        else {
            state = .absent
            return
        }
        outputs.append(.keep(service))
        found(service)
    }

    /// The phone sent a notification or an indication.
    mutating func receive(_ event: ATTBearer.ValueEvent) {
        guard case .available(let service) = state,
            case .notification(let handle, let value) = event,
            let characteristic = service.characteristics.first(where: { $0.value == handle })
        else { return }
        outputs.append(.report(.value(characteristic.uuid, value)))
    }

    // MARK: Requests

    /// Carries out a request, other than to find a service.
    mutating func request(_ request: CompanionRequest) {
        guard case .available(let service) = state else { return }
        let procedure: GATTProcedure? =
            switch request {
            case .find: nil
            case .subscribe(let uuid):
                service.characteristic(uuid)?.configuration.map {
                    .writeValue($0, ClientCharacteristicConfiguration.notification.octets)
                }
            case .write(let uuid, let value):
                service.characteristic(uuid).map { .writeValue($0.value, value) }
            case .read(let uuid):
                service.characteristic(uuid).map { .readPart($0.value, offset: 0) }
            }
        if let procedure {
            outputs.append(.start(procedure, .request(request, era: era)))
        } else {
            ended(request, .failure(.errorResponse(.attributeNotFound, AttributeHandle(0))))
        }
    }

    /// A procedure has ended, on a link with this ATT_MTU.
    mutating func completed(
        _ purpose: Purpose, _ result: Result<GATTResult, GATTFailure>, mtu: Int
    ) {
        switch purpose {
        case .search: searchEnded(result)
        case .request(let request, era: era):
            if case .failure(.errorResponse(.invalidHandle, _)) = result {
                // It has moved, and the phone did not indicate it.
                guard exchange(&hasMoved, with: true) else { return lost() }
            }
            ended(request, result, mtu: mtu)
        case .part(let uuid, let value, era: era):
            partRead(of: uuid, after: value, result, mtu: mtu)
        case .request, .part: break
        }
    }

    private mutating func ended(
        _ request: CompanionRequest, _ result: Result<GATTResult, GATTFailure>,
        mtu: Int = ATT.defaultMTU
    ) {
        var error: ATTErrorCode?
        switch result {
        case .success: break
        case .failure(.errorResponse(let code, _)): error = code
        case .failure: error = .unlikelyError
        }
        switch request {
        case .find: break
        case .subscribe(let uuid): outputs.append(.report(.subscribed(uuid, error)))
        case .write(let uuid, _): outputs.append(.report(.written(uuid, error)))
        case .read(let uuid): partRead(of: uuid, after: [], result, mtu: mtu)
        }
    }

    private mutating func partRead(
        of uuid: BluetoothUUID, after value: [UInt8], _ result: Result<GATTResult, GATTFailure>,
        mtu: Int
    ) {
        guard case .success(.value(let part)) = result else {
            // The value ends with the last full part: Attribute Not Long, or Invalid Offset.
            var isEnd = false
            if case .failure(.errorResponse(let code, _)) = result {
                isEnd = code == .attributeNotLong || code == .invalidOffset
            }
            outputs.append(.report(.read(uuid, isEnd && !value.isEmpty ? value : nil)))
            return
        }
        let whole = value + part.prefix(mtu - 1)
        guard part.count >= mtu - 1, whole.count < Self.maximumValue,
            case .available(let service) = state, let handle = service.characteristic(uuid)?.value
        else {
            outputs.append(.report(.read(uuid, whole)))
            return
        }
        outputs.append(
            .start(
                .readPart(handle, offset: UInt16(clamping: whole.count)),
                .part(uuid, whole, era: era)))
    }
}
