internal import Glibc
internal import Synchronization

/// A file descriptor with one owner.
///
/// Owners close it; `deinit` does so on paths that end in an error.
package final class OwnedDescriptor: Sendable {
    package let number: CInt
    private let isClosed = Atomic(false)

    package init(_ number: CInt) {
        self.number = number
    }

    deinit { close() }

    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Linux has closed the descriptor even if this returns EINTR: close(2). So it is not repeated.
        Glibc.close(number)
    }
}

/// Repeats a system call that a signal interrupted.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}
