/// Where it is kept what has ended bluetoothd.
@usableFromInline package protocol DaemonEndsMemory: Sendable {
    /// What is kept.
    func remembered() throws(DaemonEndsTrouble) -> [DaemonEnds]
    /// Keeps this in place of what was kept before.
    func keep(_ ends: [DaemonEnds]) throws(DaemonEndsTrouble)
}

/// Why what has ended bluetoothd cannot be read or kept, for people.
@usableFromInline package struct DaemonEndsTrouble: Error, Equatable, Sendable {
    package let message: String

    package init(message: String) { self.message = message }
}
