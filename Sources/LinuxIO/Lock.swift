internal import Glibc

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: that one waits on a futex inside a library which the thread sanitizer
/// does not see, so every hand-over under contention is reported as a race.
package final class Lock<Value>: @unchecked Sendable {
    // Unchecked: the value is reached only while the mutex is held.

    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

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

    /// Does something with the value while nobody else can.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
