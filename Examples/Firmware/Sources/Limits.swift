import ANCS
import BluetoothLE

/// How much there may be of everything that grows with what others send. The heap is chosen by them; see
/// Documentation/Microcontroller.md for what each costs.
enum Limits {
    /// Links at once. The second one is for the phone that is wanted, while a stranger holds the first.
    static let links = 2
    /// Bonds; another one takes the place of the first.
    static let bonds = 1
    /// Announcements of a phone that wait for their attributes, 8 octets each.
    static let waitingNotifications = 128
    /// Notifications that can be acted on.
    static let shownNotifications = 8
    /// What is asked for of a title and of a message, in octets: as much as the display shows.
    static let titleLength: UInt16 = 64
    static let messageLength: UInt16 = 128
    /// The heap that has to be free, in one piece, before more is taken on: what one packet can cost at most. Below
    /// it the links are ended, which frees nearly everything.
    static let reserve = 3 * 1024

    /// Four connection events in a row may be skipped, which makes the radio of an idle link cost a fifth; an answer
    /// then takes up to 225 ms longer.
    static let linkParameters = LinkParameterPolicy(latency: 4)

    static var session: ConsumerSession.Configuration {
        var session = ConsumerSession.Configuration()
        session.appDeadline = .seconds(3)
        session.maximumPendingRequests = 4
        session.maximumLateAnswers = 4
        session.maximumCachedApps = 8
        session.maximumNotifications = 32
        session.responseLimits = ResponseLimits(maximumValueOctets: 160, maximumOctets: 4096)
        session.probing = ConsumerSession.Probing()
        return session
    }

    static func host(_ state: DeviceState) -> HostConfiguration {
        var security = SecurityConfiguration()
        security.requiresSecureConnections = true
        return HostConfiguration(
            deviceName: "Firmware", appearance: 0x00C0, identityAddress: state.identityAddress,
            security: security,
            bearer: ATTBearer.Configuration(
                receiveMTU: 185, maximumQueuedProcedures: 16, maximumPreparedWrites: 4,
                maximumQueuedIndications: 2),
            maximumConnections: links, maximumBonds: bonds)
    }
}
