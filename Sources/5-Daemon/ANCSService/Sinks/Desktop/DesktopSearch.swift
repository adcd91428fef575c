package import DBus

/// Looks for the notification server of a session bus, before there is anything to show.
package enum DesktopSearch {
    /// Why no popups can be shown.
    package enum Failure: Error, Equatable, Sendable {
        /// There is no bus; the cause is a sentence.
        case noBus(cause: String)
        /// The bus has no notification server, and starts none.
        case noServer(cause: String)
    }

    /// Returns once a notification server answers, which the bus may have to start first.
    package static func findServer(
        at place: BusConnection.Bus, on loop: EventLoop
    ) async throws(Failure) {
        let bus: BusConnection
        do throws(IOError) { bus = try BusConnection(place, on: loop) } catch {
            throw .noBus(cause: error.message)
        }
        defer { bus.close() }
        let failure: Failure? = await withCheckedContinuation { continuation in
            let answer = SingleAnswer(continuation)
            bus.open { answer.give(.noBus(cause: $0.message)) }
            DesktopCalls.start(on: bus) { error in
                answer.give(error.map { .noServer(cause: $0.message) })
            }
        }
        if let failure { throw failure }
    }
}

/// The end of a connection is also the end of the calls on it: the first answer counts. On the loop's thread only.
private final class SingleAnswer: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, on which the connection calls its handlers.

    private var continuation: CheckedContinuation<DesktopSearch.Failure?, Never>?

    init(_ continuation: CheckedContinuation<DesktopSearch.Failure?, Never>) {
        self.continuation = continuation
    }

    func give(_ failure: DesktopSearch.Failure?) {
        exchange(&continuation, with: nil)?.resume(returning: failure)
    }
}
