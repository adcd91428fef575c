import Testing

/// Thousands of orders of what can happen, each the same every time; ``Walk`` says what must always be so.
@Suite struct RandomWalkTests {
    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func whateverHappensAPhoneIsServedInTheEnd(_ seed: UInt64) {
        let walk = Walk(seed: seed)
        walk.run(steps: 500)
        walk.recover(byRestart: seed.isMultiple(of: 2))
    }

    /// A walk in which nothing of importance happens finds nothing.
    @Test func onTheWayPhonesAreServedAndTheirMediaAreUsed() {
        let walks = (1...40 as ClosedRange<UInt64>).map { seed in
            let walk = Walk(seed: seed)
            walk.run(steps: 500)
            return walk
        }
        #expect(walks.count { $0.served > 0 } > 10)
        #expect(walks.count { $0.mediaUsed > 0 } > 5)
    }
}
