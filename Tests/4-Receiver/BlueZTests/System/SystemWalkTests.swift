import ANCSEvents
import Testing

/// Thousands of orders of what can happen, each the same every time; ``SystemWalk`` says what must always be so.
@Suite struct SystemWalkTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func everyRequestIsCompletedOnceInAnyOrder(_ seed: UInt64) {
        let walk = SystemWalk(seed: seed)
        walk.run(steps: 500)
        walk.recover(byRestart: seed.isMultiple(of: 2))
    }
}
