public import ANCSEvents
public import DBus

/// Identifies a call by this program until it is answered.
public struct CallID: Hashable, Sendable {
    package let rawValue: UInt64

    @usableFromInline package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Identifies a socket from bluetoothd until it is closed.
public struct SocketID: Hashable, Sendable {
    package let rawValue: UInt64

    @usableFromInline package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Identifies a call by bluetoothd until it is answered.
public struct InvocationID: Hashable, Sendable {
    /// A number chosen by the owner.
    public let rawValue: UInt64

    /// A call with this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An event of the accessory. What every Bluetooth stack reports is a `DeviceEvent` or, of a phone, a `PeerEvent`;
/// the other cases need something that only the owner has.
public enum BlueZEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// Phones can be served, on this adapter: `hci0`.
    case ready(adapter: String)
    /// Bluetooth is not available, for this reason, and may come back. That a switch blocks an adapter which is off, the
    /// owner adds (``BluetoothdFailure/withSwitch``), as to the next one.
    case resetting(BluetoothdFailure)
    /// Bluetooth cannot be used; the last event.
    case failed(BluetoothdFailure)
    /// bluetoothd refused to advertise; there will be another attempt.
    case advertisingRefused(BusError)
    /// Pairing does not ask the user, because bluetoothd refused the agent.
    case agentRefused(BusError)
    /// Pairing is open, and this adapter is discoverable over BR/EDR: an iPhone whose user chooses it in the
    /// list pairs over BR/EDR, and such a bond has no keys for ANCS.
    case discoverable(adapter: String)
    /// Pairing is open, and an iPhone seems to be paired over BR/EDR alone; its name and its address.
    case pairedWithoutLowEnergy(name: String, address: String)
    /// A phone is there, and its texts cannot be had: bluetoothd has ended when it was asked for the socket on
    /// which they come, and SELinux enforces a policy or not. Reported once for each start of bluetoothd.
    case socketsEndDaemon(isEnforcing: Bool)
    /// An event of a phone.
    case phone(PhoneID, PhoneEvent)
}

/// An event of a phone.
public enum PhoneEvent: Equatable, Sendable {
    /// An event of the phone and of the link to it. Each trouble with keys is reported once, and once more when it
    /// lasts, until there is a session: bluetoothd does not pair with such a phone again before the device is
    /// removed (`JustWorksRepairing`).
    case peer(PeerEvent)
    /// An event of its services.
    case service(PhoneServiceEvent)
    /// It is connected; its address on air, and its identity address if it is paired.
    case connected(address: String, identity: String?)
    /// Pairing has a question for the user.
    case ask(Question)
    /// Is the phone with this identity address and this untrusted name, whose bond this program did not make, to be
    /// received from? The question has this number, and outlives the link.
    case askAboutBond(UInt64, address: String, name: String?)
    /// It is paired, and has this identity address. Reported again if bluetoothd learns another one.
    case paired(identity: String)
    /// It had forgotten this device, and has paired again: its user has compared digits, and the keys of the bond
    /// before are gone.
    case pairedAgain(identity: String)
    /// The texts of notifications are broadcast on the bus, because bluetoothd refused a socket with this
    /// error, and the user allows it.
    case isBroadcast(BusError)
    /// Notifications come without texts, because bluetoothd refused a socket with this error.
    case textsRefused(BusError)
    /// Another program on this machine receives this phone's notifications exclusively.
    case isTaken
    /// bluetoothd does not answer, and the session is over. The link is ended once, and the phone reconnects
    /// on its own; or that was done before, and did not help.
    case hung(isEnded: Bool)
    /// bluetoothd discovered the services before the phone showed ANCS. The link is ended once, and the phone
    /// reconnects on its own.
    case discoveredEarly
    /// It has more services of ANCS than any phone, and is not received from. Reported once for a link.
    case tooManyServices
    /// Too many values of the Notification Source arrived before the session; this many were dropped.
    case dropped(Int)

    /// A question of pairing to the user, with an identifier for its answer.
    public struct Question: Equatable, Sendable {
        /// Identifies the question in this run.
        public let id: UInt64
        /// The kind of question.
        public let kind: SecurityQuestion
    }
}
