public import BluetoothTypes

/// An event of a device at the other end of a link, or of one that is found: a phone for an accessory, an accessory
/// for a phone, any device for an adapter. Consumers, providers and adapters report the same ones, each those that
/// can happen to its peers.
public enum PeerEvent: Equatable, Sendable {
    /// It is advertising, and is an accessory to connect to; reported once until it has been connected.
    indirect case discovered(PeerDescription)
    /// Connecting to it failed; there will be another attempt.
    indirect case connectingFailed(BluetoothError)
    /// It is connected, whichever side established the link.
    indirect case connected(PeerDescription)
    /// Its name was received.
    case named(String)
    /// It changed the parameters of its link, by itself or because this device asked for that, or it keeps its own
    /// although this device asked for others. At most 16 times on a link.
    indirect case linkParameters(LinkParameters)
    /// The ATT_MTU was negotiated, in octets.
    case mtuChanged(Int)
    /// The protection of its link has changed.
    case secured(LinkProtection)
    /// Pairing needs an answer from the user, which the request accepts.
    indirect case pairing(PairingRequest)
    /// The request was withdrawn, or was answered elsewhere: an answer no longer has an effect.
    case pairingWithdrawn
    /// Pairing succeeded: its identity is now known. One that does not bond has to pair again on its next link.
    /// `replacing` is the peer as it was known before if it was bonded; the keys of that bond are gone.
    indirect case paired(PeerDescription, isBonded: Bool, replacing: BondedPeer?)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored
    /// Pairing revealed that it was known before: its identifier from now on is that of this event, and the former
    /// one is not valid any more.
    indirect case identified(formerly: PeerIdentifier)
    /// It is unknown, and cannot be served because it may not pair; see
    /// `NotificationConsumer.openPairingWindow(for:)`. Reported once per link; the link is then ended.
    case pairingRefused
    /// The keys of its bond do not work, or it asks to pair again and may not; or another device claims to be this
    /// peer. The bond is kept. Each trouble is reported once, and once more when it lasts, until the keys have
    /// worked.
    case keyTrouble(KeyTrouble)
    /// It is connected, has a bond with this machine and offers ANCS, and is not received from, for this reason.
    /// Only at bluetoothd; once on a link for each reason.
    case unserved(Unserved)
    /// Pairing or encryption failed.
    case securityFailed(SecurityFailure)
    /// It was refused access to an attribute of this device, because the link needs more protection or because the
    /// attribute never accepts such a write. The values are the attribute handle and the ATT error code.
    case accessDenied(handle: UInt16, errorCode: UInt8)
    /// It is disconnected.
    case disconnected(DisconnectReason)
}

/// What is known of a peer.
public struct PeerDescription: Equatable, Sendable {
    /// Its name, as advertised or last received; `nil` if there is none. Untrusted.
    public var name: String?
    /// Its current or last address on air, as `F0:F1:F2:F3:F4:F5`; iPhones change theirs often.
    public var address: String
    /// Whether that address is a resolvable private one: it changes, and a device with the identity resolving key
    /// of the peer recognizes it. Core Vol 6, Part B, 1.3.2.2.
    public var hasResolvableAddress: Bool
    /// Its identity address; `nil` if it is not bonded.
    public var identity: String?
    /// Identifies it in logs, in every run: 16 hexadecimal digits, a digest of its identity address (or of
    /// the other one if it is not bonded) with a key that only this device has. Computed when it is read.
    public var digest: String {
        get { lazyDigest.make() }
        set { lazyDigest = LazyText { newValue } }
    }
    private var lazyDigest: LazyText
    /// What its link has; `nil` without a link, and with bluetoothd, which does not say.
    public var link: LinkParameters?

    package init(
        name: String? = nil, address: String, hasResolvableAddress: Bool = false,
        identity: String? = nil, digest: @autoclosure @escaping @Sendable () -> String,
        link: LinkParameters? = nil
    ) {
        (self.name, self.address, self.hasResolvableAddress) = (name, address, hasResolvableAddress)
        self.identity = identity
        lazyDigest = LazyText(make: digest)
        self.link = link
    }
}

/// A text that is made when it is read, and is compared and printed like one that was made before.
private struct LazyText: Equatable, Sendable, CustomStringConvertible {
    let make: @Sendable () -> String

    static func == (left: Self, right: Self) -> Bool { left.make() == right.make() }
    var description: String { make().debugDescription }
}

/// A peer that is bonded with this device, connected or not.
public struct BondedPeer: Equatable, Sendable {
    /// Identifies it in logs: see ``PeerDescription/digest``.
    public var digest: String
    /// Its name, as last received; untrusted. `nil` if none was received.
    public var name: String?

    /// A peer with this digest and name.
    public init(digest: String, name: String? = nil) {
        self.digest = digest
        self.name = name
    }
}
