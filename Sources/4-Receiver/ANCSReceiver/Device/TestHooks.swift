/// What a test bench needs from all devices at its controllers.
package struct TestHooks: Sendable {
    /// The time in seconds since 1970, UTC: that of the simulation, instead of the machine's.
    package var secondsSince1970: @Sendable () -> Int
    /// A device was created; `stop` stops it if it is still running.
    package var made: @Sendable (_ stop: @escaping @Sendable () async -> Void) -> Void
    /// A device or manager has queued an event for its reader.
    package var observer: @Sendable (_ source: String, _ event: any Sendable) -> Void

    /// The hooks of a bench.
    package init(
        secondsSince1970: @escaping @Sendable () -> Int,
        made: @escaping @Sendable (_ stop: @escaping @Sendable () async -> Void) -> Void,
        observer: @escaping @Sendable (_ source: String, _ event: any Sendable) -> Void
    ) { (self.secondsSince1970, self.made, self.observer) = (secondsSince1970, made, observer) }

    /// The function to call for each event of a source.
    package func observer<Event: Sendable>(of source: String) -> @Sendable (Event) -> Void {
        { [observer] event in observer(source, event) }
    }
}
