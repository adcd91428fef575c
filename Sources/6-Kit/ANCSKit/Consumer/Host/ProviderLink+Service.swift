internal import ANCS
internal import BluetoothLE

// Requests of the session, and their results.
extension ProviderLink {
    /// Carries out a request of the session.
    mutating func request(_ request: ConsumerSession.LinkRequest) {
        guard let procedure = procedure(for: request) else { return refuse(request) }
        outputs.append(.start(procedure, .request(request)))
    }

    /// Ends the session by unsubscribing, as the specification requires (R49), and then the link.
    mutating func leave() {
        if case .ended = state { return }
        guard let procedure = procedure(for: .unsubscribe(.notificationSource)) else {
            outputs.append(.disconnect(.left))
            return
        }
        outputs.append(.start(procedure, .leave))
    }

    /// Subscriptions are written to the descriptor (R11, S3), commands with a response, long ones by a long
    /// write (R21, S24). `nil` if the attribute does not exist.
    private func procedure(for request: ConsumerSession.LinkRequest) -> GATTProcedure? {
        guard case .available(let handles) = state else { return nil }
        return switch request {
        case .subscribe(let characteristic):
            handles.configuration(of: characteristic).map { .writeValue($0, [0x01, 0x00]) }
        case .unsubscribe(let characteristic):
            handles.configuration(of: characteristic).map { .writeValue($0, [0x00, 0x00]) }
        case .readSubscription(let characteristic):
            handles.configuration(of: characteristic).map { .readValue($0) }
        case .writeControlPoint(let value): handles.controlPoint.map { .writeValue($0, value) }
        }
    }

    private mutating func refuse(_ request: ConsumerSession.LinkRequest) {
        switch request {
        case .subscribe(let characteristic):
            // Android's imitation has no descriptor: it is not ANCS (S31).
            let errorCode = ATTErrorCode.attributeNotFound.rawValue
            outputs.append(.report(.subscriptionRefused(characteristic, errorCode: errorCode)))
        case .unsubscribe(let characteristic):
            outputs.append(.report(.unsubscribed(characteristic)))
        case .readSubscription: break
        case .writeControlPoint(let command):
            let error = ControlPointError(rawValue: ATTErrorCode.invalidHandle.rawValue)
            outputs.append(.report(.controlPointWritten(command, error)))
        }
    }

    /// A result that arrives after the session is not for the next session.
    mutating func completed(
        _ request: ConsumerSession.LinkRequest, _ result: Result<GATTResult, GATTFailure>,
        at now: MonotonicInstant
    ) {
        guard case .available = state else { return }
        let errorCode = Self.errorCode(of: result)
        switch request {
        case .subscribe(let characteristic):
            subscribed(to: characteristic, errorCode: errorCode, at: now)
        case .unsubscribe(let characteristic):
            outputs.append(.report(.unsubscribed(characteristic)))
        case .readSubscription(let characteristic):
            // An unreadable descriptor says nothing about the subscription.
            guard case .success(.value(let value)) = result, let first = value.first else { return }
            outputs.append(.report(.subscriptionRead(characteristic, isSubscribed: first & 1 != 0)))
        case .writeControlPoint(let command):
            let error = errorCode.map { ControlPointError(rawValue: $0) }
            outputs.append(.report(.controlPointWritten(command, error)))
            switch errorCode {
            case nil: hasMoved = false
            case ATTErrorCode.invalidHandle.rawValue: moved(at: now)
            default: break
            }
        }
    }

    /// A phone that refuses a subscription may accept it later, just as it may show the service late. If the
    /// subscription to the Data Source fails for another reason, the session has no content.
    private mutating func subscribed(
        to characteristic: ConsumerSession.Characteristic, errorCode: UInt8?,
        at now: MonotonicInstant
    ) {
        guard let errorCode else {
            outputs.append(.report(.subscribed(characteristic)))
            guard characteristic == .notificationSource else { return }
            if !hasMoved { searchInterval = configuration.firstSearchInterval }
            return readName()
        }
        let isForbidden = ControlPointError(rawValue: errorCode).isAuthorization
        if characteristic == .notificationSource || !isForbidden {
            outputs.append(.report(.subscriptionRefused(characteristic, errorCode: errorCode)))
        }
        guard characteristic == .notificationSource || isForbidden else { return }
        outputs.append(.unavailable)
        wait(at: now)
    }

    /// The attributes have moved, and the phone did not indicate it (R5). If a phone refuses its Control
    /// Point wherever it is found, the pauses between searches grow.
    private mutating func moved(at now: MonotonicInstant) {
        cached = nil
        discovered.hash = nil
        outputs.append(.unavailable)
        if exchange(&hasMoved, with: true) { wait(at: now) } else { search() }
    }

    /// The ATT error code of a failure; *Unlikely Error* for a failure without one.
    private static func errorCode(of result: Result<GATTResult, GATTFailure>) -> UInt8? {
        guard case .failure(let failure) = result else { return nil }
        guard case .errorResponse(let code, _) = failure else {
            return ATTErrorCode.unlikelyError.rawValue
        }
        return code.rawValue
    }
}

extension ProviderLink.Handles {
    fileprivate func configuration(
        of characteristic: ConsumerSession.Characteristic
    ) -> AttributeHandle? {
        switch characteristic {
        case .notificationSource: notificationSourceConfiguration
        case .dataSource: dataSourceConfiguration
        }
    }
}

// The contents of the service.
extension ProviderLink {
    /// Whether a phone cannot have what was found.
    static func hasTooManyServices(_ result: Result<GATTResult, GATTFailure>) -> Bool {
        switch result {
        case .success(.database(let database)): database.services.count > ANCSUUID.maximumServices
        case .failure(let failure): failure == .tooManyResults
        case .success: false
        }
    }

    /// The first service that is ANCS: there is at most one (R4), but imitations exist (S31).
    static func usableService(in database: RemoteDatabase) -> (RemoteDatabase.Service, Handles)? {
        for service in database.services where service.uuid == .ancs {
            if let handles = handles(in: service) { return (service, handles) }
        }
        return nil
    }

    /// Control Point and Data Source are optional, and other characteristics are ignored (R8, R9). Without a
    /// Notification Source that allows subscriptions, it is not ANCS (S31).
    private static func handles(in service: RemoteDatabase.Service) -> Handles? {
        guard let source = service.characteristic(.notificationSource),
            let configuration = source.configuration
        else { return nil }
        let dataSource = service.characteristic(.dataSource)
        return Handles(
            range: service.range, notificationSource: source.value,
            notificationSourceConfiguration: configuration,
            controlPoint: service.characteristic(.controlPoint)?.value,
            dataSource: dataSource?.value, dataSourceConfiguration: dataSource?.configuration)
    }
}

extension BluetoothUUID {
    /// The service UUID (R4).
    static let ancs = BluetoothUUID(ANCSUUID.service)
    /// The UUIDs of its characteristics (R6).
    static let notificationSource = BluetoothUUID(ANCSUUID.notificationSource)
    static let controlPoint = BluetoothUUID(ANCSUUID.controlPoint)
    static let dataSource = BluetoothUUID(ANCSUUID.dataSource)
}
