/// An actor on the thread of an event loop: it calls what runs there, and is called, without a change of thread.
public protocol LoopActor: Actor {
    /// The loop whose thread it runs on.
    nonisolated var loop: EventLoop { get }
}

extension LoopActor {
    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}
