/// An actor on the thread of an event loop: it calls what runs there, and is called, without a change of thread.
public protocol LoopActor: Actor {
    /// The loop whose thread it runs on.
    nonisolated var loop: EventLoop { get }
}

extension LoopActor {
    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}

extension LoopActor {
    /// Runs `body` as code of this actor, on whose loop the caller runs already. `assumeIsolated(_:file:line:)` does
    /// the same, but asks the runtime, and composes its message about another executor in each of its callers.
    @available(*, noasync, message: "await a method of the actor instead")
    @inlinable package nonisolated func assumeOnLoop<Result: Sendable>(
        _ body: (isolated Self) throws -> Result
    ) rethrows -> Result {
        loop.checkIsolated()
        return try withoutActuallyEscaping(body) { body in
            try unsafeBitCast(body, to: ((Self) throws -> Result).self)(self)
        }
    }

    /// The same for many calls, which need no memory then. They do nothing once the actor is gone.
    @inlinable package nonisolated func onLoop<Argument>(
        _ body: @escaping @Sendable (isolated Self, Argument) -> Void
    ) -> @Sendable (Argument) -> Void {
        let body = unsafeBitCast(body, to: (@Sendable (Self, Argument) -> Void).self)
        return { [weak self] argument in
            guard let self else { return }
            self.loop.checkIsolated()
            body(self, argument)
        }
    }
}
