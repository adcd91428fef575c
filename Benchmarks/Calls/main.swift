// Measures, in virtual time, how long a ringing call takes to reach the reader of an accessory's events while
// other notifications wait for their texts: from the phone's Added to `announced`, and to `added`.
internal import Glibc

func milliseconds(_ duration: Duration) -> String {
    "\(duration / .milliseconds(1))"
}

do {
    print("waiting  lost answer  announced after, ms  added after, ms")
    for (waiting, losesAnswer) in [(0, false), (500, false), (500, true)] {
        let figures = try await CallFigures.measure(waiting: waiting, losesAnswer: losesAnswer)
        print(
            waiting, losesAnswer ? "yes" : "no", milliseconds(figures.announced),
            milliseconds(figures.added), separator: "\t")
    }
} catch {
    print("call-benchmark: \(error)")
    exit(1)
}
