import Testing

/// Random orders of everything that can happen, against a model that knows only what a person did.
@Suite("Popups: any order of events")
struct DesktopModelTests {
    @Test("nothing is done on the phone without a click", arguments: 0..<25)
    func anyOrder(block: Int) {
        for number in 0..<100 {
            let seed = UInt64(block * 100 + number)
            var model = DesktopModel(seed: seed)
            model.run(steps: 120)
            model.end()
            #expect(model.faults == [], "seed \(seed)")
            guard model.faults.isEmpty else { return }
        }
    }

    @Test("the model clicks, clears and closes, so the absence of faults is meaningful")
    func isAlive() {
        var counts = DesktopModel.Counts()
        for seed in 0..<200 {
            var model = DesktopModel(seed: UInt64(seed))
            model.run(steps: 120)
            model.end()
            counts.add(model.counts)
        }
        #expect(counts.positives > 40)
        #expect(counts.negatives > 40)
        #expect(counts.dismissals > 10)
        #expect(counts.closings > 400)
        #expect(counts.summaries > 100)
    }
}
