import Testing

/// Random orders of what people and phones do, against a model that knows what they did.
@Suite("Calls: any order of events")
struct CallModelTests {
    @Test("each call is told once from the first ring to the end, as it was", arguments: 0..<50)
    func anyOrder(block: Int) {
        for number in 0..<2000 {
            let seed = UInt64(block * 2000 + number)
            var model = CallModel(seed: seed)
            model.run(steps: 8)
            let faults = model.faults
            #expect(faults == [], "seed \(seed)")
            guard faults.isEmpty else { return }
        }
    }

    @Test(
        "the model answers, misses, declines and loses calls, so the absence of faults is meaningful"
    )
    func isAlive() {
        var happened: [String: Int] = [:]
        for seed in 0..<2000 {
            var model = CallModel(seed: UInt64(seed))
            model.run(steps: 8)
            happened.merge(model.happened, uniquingKeysWith: +)
        }
        for word in [
            "ring", "answer", "missed", "elsewhere", "declined", "hangUp", "lostRemoval over",
            "lostRemoval missed", "lostRemoval active", "missedLate", "asked", "soon", "late",
        ] { #expect(happened[word, default: 0] > 50, "\(word)") }
    }
}
