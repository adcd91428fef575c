import Testing

/// Thousands of orders of what can happen, each the same every time; ``Walk`` says what must always be so.
@Suite struct RandomWalkTests {
    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func whateverHappensAPhoneIsServedInTheEnd(_ seed: UInt64) {
        let walk = Walk(seed: seed)
        walk.run(steps: 500)
        walk.recover(byRestart: seed.isMultiple(of: 2))
    }
}
