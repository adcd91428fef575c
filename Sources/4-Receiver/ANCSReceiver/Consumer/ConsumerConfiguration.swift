public import ANCS
public import BluetoothTypes
package import OpenSSLSecurity

/// The identity of a ``NotificationConsumer``, and what it fetches.
public struct ConsumerConfiguration: Sendable {
    /// When a phone is probed for whether it still answers.
    public typealias Probing = ConsumerSession.Probing
    /// How much of a notification is fetched.
    public typealias Selection = NotificationFeed.Selection
    /// What to do with notifications that existed before a session (R53).
    public typealias PreExistingPolicy = NotificationFeed.PreExistingPolicy

    /// The name under which phones find this accessory, 1 to 248 octets of UTF-8; a name longer than 29
    /// octets is shortened in advertising.
    public var name: String
    /// Whether that name is on air at all times, and not only while phones may pair, when one has to find it.
    public var showsNameAlways = true
    /// What the first packet of the advertisement shows while phones may pair.
    public var face = Face.solicitation
    /// The attributes to fetch of each notification before it is reported; empty to fetch none, or later when
    /// they are needed (R55).
    public var attributes: [NotificationAttributeRequest]
    /// Whether to fetch the name of the app as well.
    public var fetchesDisplayName: Bool
    /// Decides how much of a notification is fetched before it is reported; `nil` fetches everything.
    ///
    /// The closure is called on the consumer's loop, first with the announcement and `Selection.nothing`,
    /// then again with what has been fetched, each time its selection is complete. It can thus ask for the
    /// app first, and leave the texts of some apps on the phone; such a notification is reported with
    /// ``ReceivedNotification/isWithheld``. If a name is not available, it is called with `Selection.appName`
    /// and no name.
    public var selection: (@Sendable (ReceivedNotification, _ known: Selection) -> Selection)?
    /// How many phones may be connected at once, each with its own session; four by default. Every bonded
    /// phone has a place, up to this limit, and none is disconnected for another one: beside the phones that
    /// are connected, the consumer advertises while a bonded one is not, or while phones may pair. Not every
    /// controller can advertise beside a link.
    public var maximumProviders = ConsumerConfiguration.standardProviders
    /// The connection parameters that each phone is asked for, so that its link lasts; `nil` to leave what the
    /// phone has chosen. With bluetoothd, only a program with the capability `CAP_NET_RAW` can ask.
    public var linkParameters: LinkParameterPolicy? = LinkParameterPolicy()
    /// When a phone is probed for whether it still answers; `nil` for never. Nothing else reveals a phone
    /// that has silently dropped a subscription (S27).
    public var probing: Probing? = Probing()
    /// What to do with notifications that existed before a session.
    public var preExisting = PreExistingPolicy.all
    /// For how long after the start of a session the date of a notification decides whether it existed
    /// before, although the phone did not mark it so (S21); `nil` for never. The date is compared with the
    /// phone's own clock; if that is not known, the mark decides.
    public var preExistingGrace: Duration? = .seconds(10)
    /// Where delivered notifications are remembered, to recognize them in a later session; `nil` to remember
    /// none.
    public var memory: MemoryStore?
    /// The digests of the phones that were received from before it was kept which bonds are accepted.
    package var earlierPhones: (@Sendable () -> Set<String>)?
    /// Whether to remove characters that change the direction of text (S13).
    public var removesDirections = false
    /// What is used on each link beside ANCS; `nil` for nothing.
    package var companion: (any CompanionPlan)?
    /// How many events may be queued for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// A configuration; by default everything is fetched.
    public init(
        name: String, attributes: [NotificationAttributeRequest] = NotificationAttributeRequest.all,
        fetchesDisplayName: Bool = true, maximumPendingEvents: Int = 20_000
    ) {
        self.name = name
        self.attributes = attributes
        self.fetchesDisplayName = fetchesDisplayName
        self.maximumPendingEvents = maximumPendingEvents
    }

    /// The default of ``maximumProviders``: 4. A person has one phone or two, and perhaps one of work; an
    /// old one that was forgotten in a drawer must not take the place of its successor.
    public static let standardProviders = 4

    /// The configuration of each session's feed.
    var feedConfiguration: NotificationFeed.Configuration {
        var feed = NotificationFeed.Configuration(attributes: attributes)
        feed.fetchesDisplayName = fetchesDisplayName
        feed.asksWhatToFetch = selection != nil
        feed.preExisting = preExisting
        feed.preExistingGrace = preExistingGrace
        feed.session.probing = probing
        return feed
    }

    /// The notifications of earlier sessions, if they are remembered.
    package func remembered(_ toolbox: OpenSSLToolbox) throws(DeviceError)
        -> RememberedNotifications?
    {
        guard let memory else { return nil }
        do throws(StoreFailure) {
            return try RememberedNotifications(memory, toolbox: toolbox)
        } catch { throw .storage(error) }
    }

    /// Checks that the name has 1 to 248 octets of UTF-8. Core Vol 3, Part C, 12.1.
    package func checkName() throws(DeviceError) {
        guard (1...248).contains(name.utf8.count) else {
            throw .advertisement("a name must have 1 to 248 octets of UTF-8")
        }
    }
}
