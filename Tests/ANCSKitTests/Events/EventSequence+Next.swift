@testable import ANCSKit

extension EventSequence {
    /// The next event alone.
    func next() async throws(Failure) -> Element? { try await makeAsyncIterator().next() }
}
