public import Glibc

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: it waits on a futex inside a library that the thread sanitizer does not see,
/// so every contended hand-over would be reported as a race.
@usableFromInline package final class Lock<Value>: @unchecked Sendable {
    // Unchecked: the value is used only while the mutex is held. Inlinable, so that code in other modules is
    // specialized for its type and needs no metadata.

    @usableFromInline package var value: Value
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Guards a value.
    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Calls `body` with the value while holding the mutex.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
