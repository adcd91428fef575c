/// What a test bench has to do with the devices at its controllers, whoever made them.
package struct TestHooks: Sendable {
    /// The date, in seconds since 1970 by UTC: that of the simulation instead of this machine's.
    package var secondsSince1970: @Sendable () -> Int
    /// A device was made, which this stops if it has not been stopped by then.
    package var made: @Sendable (_ stop: @escaping @Sendable () async -> Void) -> Void
    /// A device or manager has an event for its readers.
    package var told: @Sendable (_ source: String, _ event: any Sendable) -> Void

    /// The hooks of a bench.
    package init(
        secondsSince1970: @escaping @Sendable () -> Int,
        made: @escaping @Sendable (_ stop: @escaping @Sendable () async -> Void) -> Void,
        told: @escaping @Sendable (_ source: String, _ event: any Sendable) -> Void
    ) {
        self.secondsSince1970 = secondsSince1970
        self.made = made
        self.told = told
    }

    /// What is called with each event of something.
    func teller<Event: Sendable>(of source: String) -> @Sendable (Event) -> Void {
        { [told] event in told(source, event) }
    }
}
