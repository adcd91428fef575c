extension Actor {
    /// Runs `body` as code of this actor, on whose executor the caller runs already. `assumeIsolated(_:file:line:)` does
    /// the same, but composes its message about another executor in each of its callers.
    @available(*, noasync, message: "await a method of the actor instead")
    @inlinable package nonisolated func assumeOnLoop<Result: Sendable>(
        _ body: (isolated Self) throws -> Result
    ) rethrows -> Result {
        preconditionOnLoop(of: self)
        return try withoutActuallyEscaping(body) { body in
            try unsafeBitCast(body, to: ((Self) throws -> Result).self)(self)
        }
    }
}

/// Stops the program if the caller does not run on the executor of an actor.
@usableFromInline @inline(never)
package func preconditionOnLoop(of actor: any Actor) { actor.preconditionIsolated() }
