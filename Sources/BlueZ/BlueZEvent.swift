public import ANCS
public import BluetoothLE
public import DBus

/// Names a phone for as long as it is connected.
public struct PhoneID: Hashable, Comparable, Sendable {
    /// Counts the connections from 1.
    public let rawValue: UInt64

    /// The phone with this number, where there is one.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether one connected before the other.
    public static func < (left: PhoneID, right: PhoneID) -> Bool { left.rawValue < right.rawValue }
}

/// Names a call that this side makes, until it is answered.
public struct CallID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Names a socket that bluetoothd has handed over, until it is closed.
public struct SocketID: Hashable, Sendable {
    let rawValue: UInt64
}

/// Names a call that bluetoothd makes, until it is answered.
public struct InvocationID: Hashable, Sendable {
    /// The name, of the owner's choice.
    public let rawValue: UInt64

    /// The owner counts the calls.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What happens at bluetoothd.
public enum BlueZEvent: Hashable, Sendable {
    /// Phones can be served, by this adapter: `hci0`.
    case ready(adapter: String)
    /// Bluetooth is gone for now, for this reason; it is waited for.
    case resetting(Trouble)
    /// It cannot be used; the last event.
    case failed(Trouble)
    /// Whether phones can find this device.
    case advertising(Bool)
    /// bluetoothd does not advertise, with what it says to that; it is tried again.
    case advertisingRefused(BusError)
    /// The machine was suspended.
    case resumed
    /// Whether phones may pair.
    case pairingWindow(isOpen: Bool)
    /// Pairing is done without asking the user, because bluetoothd does not take the agent that would.
    case agentRefused(BusError)
    /// What happens at a phone.
    case phone(PhoneID, PhoneEvent)

    /// Why Bluetooth cannot be used.
    public enum Trouble: Error, Hashable, Sendable {
        /// bluetoothd does not run, and is not started when it is called.
        case noDaemon
        /// bluetoothd has ended.
        case daemonEnded
        /// The policy of the bus does not let this user call bluetoothd.
        case denied
        /// There is no adapter, or not the one that was asked for.
        case noAdapter
        /// The adapter is switched off.
        case off(adapter: String)
        /// It cannot advertise.
        case cannotAdvertise(adapter: String)
        /// bluetoothd does not answer.
        case noAnswer
        /// The list of what bluetoothd has cannot be read, because a device has a name with characters that
        /// D-Bus' own library passes on and sd-bus refuses (U+FFFE and other noncharacters).
        case unreadable
        /// bluetoothd answers what it should not.
        case refused(BusError)
    }
}

/// What happens at a phone.
public enum PhoneEvent: Hashable, Sendable {
    /// It is connected: its address on air, and its identity address where it is paired.
    case connected(address: String, identity: String?)
    /// It told its name.
    case named(String)
    /// Pairing asks the user something.
    case ask(Question)
    /// What was asked needs no answer any more.
    case withdrawn
    /// It is paired; this is its identity address. It is told again if bluetoothd learns another one.
    case paired(identity: String)
    /// Pairing failed.
    case pairingFailed(SecurityFailure)
    /// It may not pair, and has to. One that is paired has lost its keys: bluetoothd does not make them
    /// again before the device is removed (`JustWorksRepairing`).
    case pairingRefused(isPaired: Bool)
    /// ANCS is not there (yet).
    case waiting
    /// ANCS is there.
    case available(hasControlPoint: Bool, hasDataSource: Bool)
    /// ANCS is gone.
    case unavailable
    /// What is for its session.
    case report(ConsumerSession.LinkReport)
    /// The texts of notifications are broadcast on the bus, because bluetoothd does not hand a socket
    /// over, for this reason.
    case isBroadcast(BusError)
    /// Another program on this machine receives this phone's notifications, and keeps them to itself.
    case isTaken
    /// bluetoothd does not answer, and the session is over. The link is ended, once, and the phone comes back
    /// by itself; or that was done before, and did not help.
    case hung(isEnded: Bool)
    /// bluetoothd discovered the services before the phone showed ANCS. The link is ended, once, and the phone
    /// comes back by itself.
    case discoveredEarly
    /// More values of the Notification Source came before the session than are kept; this many were
    /// dropped.
    case dropped(Int)
    /// The link ended, or serves no longer.
    case disconnected(Ending)

    /// What the user is asked while pairing, and names it until it is answered.
    public struct Question: Hashable, Sendable {
        /// Names the question among all of a run.
        public let id: UInt64
        /// What is asked.
        public let kind: Kind

        /// What the user is asked.
        public enum Kind: Hashable, Sendable {
            /// Does the phone show these six digits?
            case compare(UInt32)
            /// Which six digits does the phone show?
            case enterPasskey
            /// The user types these six digits on the phone. Needs no answer.
            case displayPasskey(UInt32)
        }
    }

    /// What the user said to a question.
    public enum Answer: Hashable, Sendable {
        /// Yes, or no.
        case confirm(Bool)
        /// The digits.
        case passkey(UInt32)
        /// Neither.
        case cancel
    }

    /// Why a link ended, or serves no longer.
    public enum Ending: Hashable, Sendable {
        /// bluetoothd does not say why.
        case linkEnded
        /// It was ended because bluetoothd did not answer.
        case hung
        /// It was ended so that bluetoothd discovers the services again.
        case earlyDiscovery
        /// This side ended the session; the link goes on for others.
        case left
        /// bluetoothd has ended, or the adapter went away or was switched off.
        case stackGone
    }
}
