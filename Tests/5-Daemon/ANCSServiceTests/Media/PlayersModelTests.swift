import Testing

/// Random orders of what people, phones and players do, against a model that knows what they did.
@Suite("Music during calls: any order of events")
struct PlayersModelTests {
    @Test("no player plays that should not, and none stays paused", arguments: 0..<50)
    func anyOrder(block: Int) {
        for number in 0..<2000 {
            let seed = UInt64(block * 2000 + number)
            var model = PlayersModel(seed: seed)
            model.run(steps: 20)
            let faults = model.faults
            #expect(faults == [], "seed \(seed)")
            guard faults.isEmpty else { return }
        }
    }

    @Test("the model pauses, uses, hangs and loses players, so the absence of faults is meaningful")
    func isAlive() {
        var happened: [String: Int] = [:]
        for seed in 0..<2000 {
            var model = PlayersModel(seed: UInt64(seed))
            model.run(steps: 20)
            happened.merge(model.happened, uniquingKeysWith: +)
        }
        for word in [
            "call", "muted", "vanish", "use", "touch", "hang", "bus", "pause", "play", "slow",
            "late",
        ] { #expect(happened[word, default: 0] > 50, "\(word)") }
    }
}
