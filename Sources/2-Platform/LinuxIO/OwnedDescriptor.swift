internal import Glibc
internal import Synchronization

/// A file descriptor with one owner.
///
/// Owners close it; `deinit` does so on paths that end in an error.
package final class OwnedDescriptor: Sendable {
    package let number: CInt
    private let isClosed = Atomic(false)

    package init(_ number: CInt) { self.number = number }

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

/// The next octets of a file, at most this many, or none at its end; waits for a pipe. `nil` if it cannot be read:
/// `errno` says why.
package func nextOctets(of descriptor: CInt, atMost limit: Int) -> [UInt8]? {
    var count = 0
    let octets = [UInt8](unsafeUninitializedCapacity: limit) { space, used in
        count = uninterrupted { read(descriptor, space.baseAddress, space.count) }
        used = max(0, count)
    }
    return count < 0 ? nil : octets
}
