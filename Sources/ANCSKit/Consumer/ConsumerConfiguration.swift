public import ANCS

/// What a ``NotificationConsumer`` is and wants.
public struct ConsumerConfiguration: Sendable {
    /// When a phone is asked by itself whether it still does its part.
    public typealias Probing = ConsumerSession.Probing
    /// What is fetched of a notification.
    public typealias Selection = NotificationFeed.Selection
    /// What becomes of notifications that were there before a session (R53).
    public typealias PreExistingPolicy = NotificationFeed.PreExistingPolicy

    /// The name under which phones find this accessory; up to 29 octets of UTF-8 are on air, longer
    /// ones are shortened.
    public var name: String
    /// Which attributes are fetched for each notification before it is told; empty for none, to fetch
    /// them when they are needed (R55).
    public var attributes: [NotificationAttributeRequest]
    /// Whether the name of the app is fetched as well.
    public var fetchesDisplayName: Bool
    /// Decides what is fetched of a notification before it is reported; `nil` fetches everything. It is
    /// called on the consumer's loop, first with what was announced and ``Selection/nothing``, and again each
    /// time when what it selected is there, with that. So it can ask for the app, and leave the texts of
    /// some apps on the phone: such a notification is reported as it is, see
    /// ``ReceivedNotification/isWithheld``. Where a name cannot be had, it is called with
    /// ``Selection/appName`` and no name.
    public var selection: (@Sendable (ReceivedNotification, _ known: Selection) -> Selection)?
    /// How many phones may be connected at a time, each with its own session: 1 unless said otherwise.
    /// It advertises as long as there is room for one, which not every controller can beside a link.
    public var maximumProviders = 1
    /// When a phone is asked whether it still does its part; `nil` for never. A phone that drops a
    /// subscription silently is found out by nothing else (S27).
    public var probing: Probing? = Probing()
    /// What becomes of notifications that were there before a session.
    public var preExisting = PreExistingPolicy.deliver
    /// How long after the start of a session a notification from before it counts as such a one,
    /// though the phone did not say so (S21). The clocks of both are taken to agree.
    public var preExistingGrace: Duration? = .seconds(10)
    /// Where it is remembered which notifications were delivered, so that they can be told from new
    /// ones in a later session; `nil` remembers nothing.
    public var memory: MemoryStore?
    /// Whether characters that turn the direction of text are taken out (S13).
    public var removesDirections = false
    /// How many events may wait for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// A consumer that fetches everything, unless said otherwise.
    public init(
        name: String, attributes: [NotificationAttributeRequest] = NotificationAttributeRequest.all,
        fetchesDisplayName: Bool = true, maximumPendingEvents: Int = 20_000
    ) {
        self.name = name
        self.attributes = attributes
        self.fetchesDisplayName = fetchesDisplayName
        self.maximumPendingEvents = maximumPendingEvents
    }

    /// What the feed of each session is told.
    var feedConfiguration: NotificationFeed.Configuration {
        var feed = NotificationFeed.Configuration(attributes: attributes)
        feed.fetchesDisplayName = fetchesDisplayName
        feed.asksWhatToFetch = selection != nil
        feed.preExisting = preExisting
        feed.preExistingGrace = preExistingGrace
        feed.session.probing = probing
        return feed
    }

    /// What was delivered in earlier sessions, if that is to be remembered.
    func remembered(_ toolbox: OpenSSLToolbox) throws(DeviceError) -> RememberedNotifications? {
        guard let memory else { return nil }
        do throws(BondStore.Failure) {
            return try RememberedNotifications(memory, toolbox: toolbox)
        } catch { throw .storage(error) }
    }

    /// The name, which has 1 to 248 octets of UTF-8. Core Vol 3, Part C, 12.1.
    func checkName() throws(DeviceError) {
        guard (1...248).contains(name.utf8.count) else {
            throw .advertisement("a name has 1 to 248 octets of UTF-8")
        }
    }
}
