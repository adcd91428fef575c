/// What happens at a ``PeripheralManager``, in the order in which it happens: the calls of
/// `CBPeripheralManagerDelegate` that answer no call of the app's. Those that do are what the call returns.
public enum PeripheralManagerEvent: Hashable, Sendable {
    /// The adapter can do more, or less; the present state is told first of all. Where it is not
    /// ``ManagerState/poweredOn``, links and advertising have ended; what is published stays.
    /// (`peripheralManagerDidUpdateState(_:)`)
    case stateUpdated(ManagerState)
    /// The advertisement is on air, at first or again. (`peripheralManagerDidStartAdvertising(_:error:)`)
    case didStartAdvertising
    /// The advertisement is off air, and comes back by itself: when there is room for another link, or
    /// when the controller is asked again that refuses, for which this is the reason.
    case advertisingInterrupted(BluetoothError?)
    /// The advertisement ended, though the app did not stop it.
    case didStopAdvertising(AdvertisingEnd)
    /// A central has the value notified or indicated from now on; also one that is bonded and is back.
    /// (`peripheralManager(_:central:didSubscribeTo:)`)
    case didSubscribe(Central, to: MutableCharacteristic)
    /// It has not any more, or has left. (`peripheralManager(_:central:didUnsubscribeFrom:)`)
    case didUnsubscribe(Central, from: MutableCharacteristic)
    /// There is room again for values that ``PeripheralManager/updateValue(_:for:onSubscribedCentrals:)``
    /// did not take. (`peripheralManagerIsReady(toUpdateSubscribers:)`)
    case isReadyToUpdateSubscribers
    /// A central reads a value that the app keeps: set ``ATTRequest/value`` and respond.
    /// (`peripheralManager(_:didReceiveRead:)`)
    case didReceiveRead(ATTRequest)
    /// A central writes values that the app keeps, all of them or none: respond to one of the requests,
    /// once; to one that it refuses with the error. (`peripheralManager(_:didReceiveWrite:)`)
    case didReceiveWrite([ATTRequest])
    /// The reader of events was so slow that this many events were dropped. Requests among them were
    /// refused.
    case missed(Int)
}
