package import CLinux
internal import Glibc

/// Starts a thread outside of Swift's pool, where calls may block. The caller joins or detaches it.
package func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
) throws(IOError) -> pthread_t {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    // A C function pointer captures nothing, so the closure is passed as the argument.
    let result = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
            clinux_name_thread(start.name)
            start.body()
            return nil
        }, context.toOpaque())
    guard result == 0 else {
        context.release()
        throw IOError("cannot start a thread", errno: result)
    }
    return thread
}

/// Starts a detached thread, where calls may block.
package func startDetachedThread(
    named name: String, _ body: @escaping @Sendable () -> Void
) throws(IOError) { pthread_detach(try startThread(named: name, body)) }

/// The argument of a new thread.
private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
