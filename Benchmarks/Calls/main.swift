// Measures, in virtual time, how long a ringing call takes to reach the reader of an accessory's events while
// other notifications wait for their texts, or beside a burst of values of the phone's media: from the phone's Added to
// `announced`, and to `added`.
internal import Glibc

func milliseconds(_ duration: Duration) -> String {
    "\(duration / .milliseconds(1))"
}

do {
    print("waiting  lost answer  media  announced after, ms  added after, ms")
    for (waiting, losesAnswer, hasMedia) in [
        (0, false, false), (500, false, false), (500, true, false), (0, false, true),
    ] {
        let figures = try await CallFigures.measure(
            waiting: waiting, losesAnswer: losesAnswer, hasMedia: hasMedia)
        print(
            waiting, losesAnswer ? "yes" : "no", hasMedia ? "yes" : "no",
            milliseconds(figures.announced), milliseconds(figures.added), separator: "\t")
    }
} catch {
    print("call-benchmark: \(error)")
    exit(1)
}
