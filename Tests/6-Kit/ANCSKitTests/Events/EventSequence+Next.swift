@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

extension EventSequence {
    /// The next event alone.
    func next() async throws(Failure) -> Element? { try await makeAsyncIterator().next() }
}

extension EventChannel {
    /// The next element, in the caller's isolation.
    func next() async throws(Failure) -> Element? { try await next(#isolation) }
}
