/// An event of a ``PeripheralManager``, in order: the methods of `CBPeripheralManagerDelegate` that do not
/// answer a call. The others are the results of calls.
public enum PeripheralManagerEvent: Equatable, Sendable {
    /// The state of the adapter changed; the current state is the first event. In any state but
    /// `ManagerState.poweredOn`, links and advertising have ended; services stay published.
    /// (`peripheralManagerDidUpdateState(_:)`)
    case stateUpdated(ManagerState)
    /// Advertising has started, or continues. (`peripheralManagerDidStartAdvertising(_:error:)`)
    case didStartAdvertising
    /// Advertising pauses, until there is room for another link or until the controller no longer refuses,
    /// for this reason.
    case advertisingInterrupted(BluetoothError?)
    /// Advertising ended without a call of the app.
    case didStopAdvertising(AdvertisingEnd)
    /// A central subscribed to the value, or is bonded and has returned.
    /// (`peripheralManager(_:central:didSubscribeTo:)`)
    case didSubscribe(Central, to: MutableCharacteristic)
    /// The central unsubscribed, or disconnected. (`peripheralManager(_:central:didUnsubscribeFrom:)`)
    case didUnsubscribe(Central, from: MutableCharacteristic)
    /// There is room again after ``PeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` returned
    /// `false`. (`peripheralManagerIsReady(toUpdateSubscribers:)`)
    case isReadyToUpdateSubscribers
    /// A central reads a value that the app serves: set ``ATTRequest/value`` and respond.
    /// (`peripheralManager(_:didReceiveRead:)`)
    case didReceiveRead(ATTRequest)
    /// A central writes values that the app serves, all or none: respond once, to any of the requests, or
    /// with an error to the one that is refused. (`peripheralManager(_:didReceiveWrite:)`)
    case didReceiveWrite([ATTRequest])
    /// The reader was so slow that this many events were dropped. Requests among them were refused.
    case missed(Int)
}
