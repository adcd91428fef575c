// A driver for each machine that a microcontroller may want, with every input. Scripts/size.sh links each
// alone, and so measures what its machine costs; the Embedded build sees that it compiles.
public import ANCS
public import BluetoothLE
public import Octets

/// A value of the Notification Source and a whole answer, and nothing kept of them: no session.
public func driveCodec(
    _ value: Span<UInt8>, _ table: inout ResponseTable, _ command: GetNotificationAttributes
) throws(DecodingError) -> [UInt8] {
    let announced = try NotificationSourceValue(decoding: value)
    try table.fill(notificationAttributes: value)
    return announced.octets + command.octets
}

/// A session on somebody else's stack.
public func driveConsumerSession(
    _ session: inout ConsumerSession, _ report: ConsumerSession.LinkReport,
    _ attributes: [NotificationAttributeRequest], of uid: NotificationUID, _ app: AppIdentifier,
    _ action: ActionID, at now: MonotonicInstant
) throws(ConsumerSession.UsageError) -> ConsumerSession.Output? {
    session.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: now)
    session.receive(report, at: now)
    _ = try session.fetch(attributes, of: uid, at: now)
    _ = try session.fetchDisplayName(of: app, at: now)
    _ = try session.perform(action, on: uid, at: now)
    session.doubt(at: now)
    if let deadline = session.nextDeadline, deadline <= now { session.handleTimeout(at: now) }
    session.end(at: now)
    return session.pollOutput()
}

/// A session, as ``driveConsumerSession(_:_:_:of:_:_:at:)`` needs one.
public func makeConsumerSession() -> ConsumerSession { ConsumerSession() }

/// Notifications that come with their attributes.
public func driveNotificationFeed(
    _ feed: inout NotificationFeed, _ report: ConsumerSession.LinkReport, _ action: ActionID,
    on uid: NotificationUID, at now: MonotonicInstant
) throws(ConsumerSession.UsageError) -> NotificationFeed.Output? {
    feed.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: now)
    feed.receive(report, at: now)
    _ = try feed.perform(action, on: uid, at: now)
    if let deadline = feed.nextDeadline, deadline <= now { feed.handleTimeout(at: now) }
    feed.end(at: now)
    return feed.pollOutput()
}

/// A feed, as ``driveNotificationFeed(_:_:_:on:at:)`` needs one.
public func makeNotificationFeed() -> NotificationFeed { NotificationFeed() }

/// An accessory: it advertises, pairs, keeps a bond, discovers, subscribes and writes.
public func driveHost(
    _ host: inout Host, _ packet: HCIPacket, _ advertisement: Advertisement,
    _ procedure: GATTProcedure, on handle: ConnectionHandle, at now: MonotonicInstant
) throws(HostUsageError) -> HostOutput? {
    host.start(at: now)
    host.receive(packet, at: now)
    try host.startAdvertising(advertisement, at: now)
    try host.pair(handle, at: now)
    _ = try host.start(procedure, on: handle, at: now)
    if let deadline = host.nextDeadline, deadline <= now { host.handleTimeout(at: now) }
    try host.disconnect(handle, at: now)
    return host.pollOutput()
}

/// A host, as ``driveHost(_:_:_:_:on:at:)`` needs one.
public func makeHost(_ configuration: HostConfiguration) -> Host {
    Host(configuration: configuration, toolbox: NoCryptography())
}

/// Octets of a UART.
public func driveH4Framer(_ framer: inout H4Framer, _ octets: Span<UInt8>) -> H4Framer.Output? {
    var rest = octets
    return framer.next(from: &rest)
}
