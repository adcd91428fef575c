internal import ANCSKit
public import Foundation
internal import LinuxIO

/// Publishes services and advertises them.
///
/// It needs a controller of its own, by `CB_LINUX_ADAPTER`: bluetoothd's server cannot choose handles nor answer with a
/// program's errors, and there the state is `unsupported`. The delegate is called as that of a ``CBCentralManager`` is.
open class CBPeripheralManager: CBManager {
    /// Receives what happens.
    open weak var delegate: (any CBPeripheralManagerDelegate)?
    /// Whether the manager advertises, or will once there is room for another central.
    open internal(set) var isAdvertising = false

    /// The manager that does the work; `nil` if there is no adapter.
    let manager: PeripheralManager?
    let calls: DelegateQueue<CBPeripheralManager>
    private let updates: ValueUpdates?
    private var centrals: [ObjectIdentifier: Entry] = [:]
    private var services: [CBMutableService] = []
    private var isStarting = false
    /// That for values: without it, ``updateValue(_:for:onSubscribedCentrals:)`` refuses one.
    private var room = Room()

    private struct Entry { weak var central: CBCentral? }

    /// A manager without a delegate, on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil) }

    /// A manager that calls its delegate on a queue; `nil` is the main queue. Options have no effect on Linux.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        self.delegate = delegate
        let adapter = SharedAdapter.get()
        calls = DelegateQueue(queue ?? .main, on: try? adapter.get().loop)
        manager = (try? adapter.get()).map { PeripheralManager($0, maximumPendingEvents: 0) }
        updates = manager.map { _ in ValueUpdates() }
        super.init(.unknown)
        calls.owner = self
        if case .failure(let error) = adapter {
            Diagnostics.writeOnce("there is no Bluetooth: \(error.message)")
            calls.post { $0.stateChanged(to: .unsupported, because: nil) }
        } else {
            follow()
        }
    }

    /// What `CBManager.authorization` has taken the place of.
    @available(*, deprecated, message: "use authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        .init(rawValue: authorization.rawValue) ?? .notDetermined
    }

    // MARK: Services

    /// Publishes a service; `peripheralManager(_:didAdd:error:)` follows.
    open func add(_ service: CBMutableService) {
        guard isOn(for: "add(_:)"), let manager else { return }
        service.prepare()
        nonisolated(unsafe) let object = service
        manager.run { [calls, published = service.published] manager in
            let error = Self.failure { () throws(BluetoothError) in try manager.add(published) }
            calls.post { $0.added(object, error) }
        }
    }

    private func added(_ service: CBMutableService, _ error: (any Error)?) {
        if error == nil { services.append(service) }
        delegate?.peripheralManager(self, didAdd: service, error: error)
    }

    /// Removes a service.
    open func remove(_ service: CBMutableService) {
        services.removeAll { $0 === service }
        manager?.run { [published = service.published] in $0.remove(published) }
    }

    /// Removes all services.
    open func removeAllServices() {
        services = []
        manager?.run { $0.removeAllServices() }
    }

    // MARK: Advertising

    /// Advertises a name and services until ``stopAdvertising()``, or until a central connects; the other keys have no
    /// effect. `peripheralManagerDidStartAdvertising(_:error:)` follows.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isOn(for: "startAdvertising(_:)"), let manager else { return }
        let data = advertisementData ?? [:]
        let services = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let advertisement = AdvertisementData(
            localName: data[CBAdvertisementDataLocalNameKey] as? String,
            serviceUUIDs: services.map(\.value))
        for key in data.keys.sorted()
        where ![CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey].contains(key) {
            Diagnostics.write("the key \(key) of startAdvertising(_:) has no effect")
        }
        (isAdvertising, isStarting) = (true, true)
        manager.run { [calls] manager in
            let error = Self.failure { () throws(BluetoothError) in
                try manager.startAdvertising(advertisement)
            }
            if let error { calls.post { $0.started(error) } }
        }
    }

    /// Stops advertising.
    open func stopAdvertising() {
        (isAdvertising, isStarting) = (false, false)
        manager?.run { $0.stopAdvertising() }
    }

    private func started(_ error: (any Error)?) {
        // It also starts again after an interruption.
        guard isStarting else { return }
        isStarting = false
        if let error = error as? CBError { isAdvertising = error.code == .alreadyAdvertising }
        delegate?.peripheralManagerDidStartAdvertising(self, error: error)
    }

    // MARK: Values

    /// Sends a value to the centrals that have subscribed to it, or to some of them. `false` if there is no room:
    /// `peripheralManagerIsReady(toUpdateSubscribers:)` follows, and then the call has to be repeated.
    @discardableResult open func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        guard isOn(for: "updateValue(_:for:onSubscribedCentrals:)"), let updates else {
            return true
        }
        guard room.underway < Room.window else {
            room.isAwaited = true
            return false
        }
        room.underway += 1
        let update = ValueUpdates.Update(
            value: [UInt8](value), characteristic: characteristic.published,
            centrals: centrals?.map(\.central)
        ) { [calls] in calls.post { $0.sent() } }
        manager?.run { updates.add(update, $0) }
        return true
    }

    private func sent() {
        if room.isFound() { delegate?.peripheralManagerIsReady(toUpdateSubscribers: self) }
    }

    /// Answers a read with its value, or a write; of those that came together, the first for all of them.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        let (answer, value) = (request.request, request.value.map { [UInt8]($0) })
        let code = ATTErrorCode(rawValue: UInt8(result.rawValue))
        manager?.run { manager in
            answer.value = value
            manager.respond(to: answer, withResult: code)
        }
    }

    // MARK: What Linux does not have

    /// Has no effect.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral
    ) {
        Diagnostics.ignored(
            "setDesiredConnectionLatency(_:for:)", because: "a central chooses its parameters")
    }

    /// Answered with an error: there are no channels of L2CAP on Linux.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        calls.post {
            $0.delegate?.peripheralManager(
                $0, didPublishL2CAPChannel: 0, error: BluetoothError.noChannels.cb)
        }
    }

    /// Has no effect, because no channel is published.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {}

    private static func failure(of body: () throws(BluetoothError) -> Void) -> (any Error)? {
        do throws(BluetoothError) { try body() } catch { return error.cb }
        return nil
    }

    // MARK: What happens

    private func follow() {
        manager?.run { [calls, updates] manager in
            manager.observe { [weak manager] event in
                if let manager { Self.received(event, manager, updates, calls) }
            }
            Self.received(.stateUpdated(manager.state), manager, updates, calls)
        }
    }

    /// On the loop.
    private static func received(
        _ event: PeripheralManagerEvent, _ manager: PeripheralManager, _ updates: ValueUpdates?,
        _ calls: DelegateQueue<CBPeripheralManager>
    ) {
        switch event {
        case .stateUpdated(.unknown): break
        case .stateUpdated(let state):
            let reason = manager.assumeOnLoop { $0.stateReason }
            let hasEnded = manager.adapter.assumeOnLoop { $0.hasEnded }
            let state = hasEnded ? .unsupported : CBManagerState(state)
            calls.post { $0.stateChanged(to: state, because: reason) }
        case .didStartAdvertising: calls.post { $0.started(nil) }
        case .didStopAdvertising: calls.post { $0.isAdvertising = false }
        case .advertisingInterrupted: break
        case .didSubscribe(let central, let characteristic):
            calls.post { $0.subscriptionChanged(true, central, characteristic) }
        case .didUnsubscribe(let central, let characteristic):
            calls.post { $0.subscriptionChanged(false, central, characteristic) }
        case .isReadyToUpdateSubscribers: manager.assumeOnLoop { updates?.proceed($0) }
        case .didReceiveRead(let request):
            calls.post { manager in
                guard let read = manager.requests(for: [request])?.first else { return }
                manager.delegate?.peripheralManager(manager, didReceiveRead: read)
            }
        case .didReceiveWrite(let requests):
            calls.post { manager in
                guard let writes = manager.requests(for: requests) else { return }
                manager.delegate?.peripheralManager(manager, didReceiveWrite: writes)
            }
        // No events are queued here.
        case .missed: break
        }
    }

    private func stateChanged(to state: CBManagerState, because reason: String?) {
        guard state != self.state else { return }
        if state == .unsupported {
            let atBlueZ =
                "bluetoothd has no server for this program; CB_LINUX_ADAPTER names a controller"
            Diagnostics.writeOnce("a peripheral manager is unsupported: \(reason ?? atBlueZ)")
        }
        update(state)
        if state != .poweredOn { (isAdvertising, isStarting) = (false, false) }
        delegate?.peripheralManagerDidUpdateState(self)
    }

    private func subscriptionChanged(
        _ isSubscribed: Bool, _ central: Central, _ published: MutableCharacteristic
    ) {
        guard let characteristic = object(of: published) else { return }
        let central = object(of: central)
        var subscribers = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
        if isSubscribed { subscribers.append(central) }
        characteristic.subscribedCentrals = subscribers
        if isSubscribed {
            delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
        } else {
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }

    /// The requests as objects; `nil` if the service was removed meanwhile, and they were answered.
    private func requests(for requests: [ATTRequest]) -> [CBATTRequest]? {
        let objects = requests.compactMap { request in
            object(of: request.characteristic).map {
                CBATTRequest(request, $0, by: object(of: request.central))
            }
        }
        return objects.count == requests.count ? objects : nil
    }

    private func object(of published: MutableCharacteristic) -> CBMutableCharacteristic? {
        services.lazy.flatMap(\.own).first { $0.published === published }
    }

    private func object(of central: Central) -> CBCentral {
        if let known = centrals[ObjectIdentifier(central)]?.central { return known }
        centrals = centrals.filter { $0.value.central != nil }
        let object = CBCentral(central)
        centrals[ObjectIdentifier(central)] = Entry(central: object)
        return object
    }
}
