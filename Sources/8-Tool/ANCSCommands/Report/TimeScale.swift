internal import Printing

/// Where a time of a run lies on an axis. Times in which nothing happens are shortened, if that leaves room for what
/// happens.
struct TimeScale: Equatable, Sendable {
    /// A time between two events, in microseconds: its own, and as much of it as is shown.
    private struct Piece: Equatable {
        var time: Range<Int64>
        var shown: Range<Int64>

        var isShortened: Bool { shown.count < time.count }
    }

    /// A time that is shortened.
    struct Break: Equatable, Sendable {
        /// Where it begins and ends.
        var start: Int
        var end: Int
        var duration: Duration
    }

    /// A labeled time.
    struct Tick: Equatable, Sendable {
        var place: Int
        var label: String
    }

    private let pieces: [Piece]
    private let shown: Int64
    /// The length of the axis, in units of the picture.
    let width: Int

    /// A scale from the start of a run to its end, on which something happens at these times.
    init(_ times: [Duration], end: Duration, width: Int) {
        self.width = width
        let last = max(end, times.max() ?? .zero, .milliseconds(1)).microseconds
        let points = Set(times.map { min(max($0.microseconds, 0), last) } + [0, last])
            .sorted(byNumber: { UInt64($0) })
        let gaps = zip(points, points.dropFirst()).map { $0.1 - $0.0 }
        let limit = Self.limit(of: gaps, last)
        var place: Int64 = 0
        pieces = zip(points, gaps).map { start, gap in
            let from = place
            place += min(gap, limit)
            return Piece(time: start..<start + gap, shown: from..<place)
        }
        shown = place
    }

    /// The longest gap that is shown whole: the longest with which all longer ones take half of the axis, if that
    /// makes it half as long.
    private static func limit(of gaps: [Int64], _ total: Int64) -> Int64 {
        var limit = total / 4
        while limit > total / 4000, limit > 0 {
            let long = gaps.filter { $0 > limit }
            let shown = gaps.reduce(0) { $0 + min($1, limit) }
            if Int64(long.count) * limit * 2 <= shown { return shown * 2 <= total ? limit : total }
            limit = limit * 3 / 4
        }
        return total
    }

    /// The place of a time, in units of the picture.
    func place(_ time: Duration) -> Int { place(microseconds: time.microseconds) }

    private func place(microseconds time: Int64) -> Int {
        guard let piece = pieces.first(where: { time < $0.time.upperBound }) else { return width }
        let within = Double(max(time - piece.time.lowerBound, 0)) / Double(piece.time.count)
        let place = Double(piece.shown.lowerBound) + within * Double(piece.shown.count)
        return Int((place * Double(width) / Double(shown)).rounded())
    }

    /// The times that are shortened, where that can be seen.
    var breaks: [Break] {
        pieces.filter(\.isShortened).map { piece in
            Break(
                start: place(microseconds: piece.time.lowerBound),
                end: place(microseconds: piece.time.upperBound),
                duration: .microseconds(piece.time.count))
        }.filter { $0.end - $0.start >= 6 }
    }

    /// Round times at least `distance` units apart, and the end. None is within a shortened time.
    func ticks(distance: Int) -> [Tick] {
        let wanted = shown * Int64(distance) / Int64(width)
        var step: Int64 = 1000
        while step < wanted { step *= 10 }
        step = [step / 5, step / 2].first { $0 >= max(wanted, 1000) } ?? step
        let last = Duration.microseconds(pieces.last?.time.upperBound ?? 0)
        var ticks: [Tick] = []
        for piece in pieces where !piece.isShortened {
            let first = (piece.time.lowerBound + step - 1) / step * step
            for time in stride(from: first, through: piece.time.upperBound, by: Int(step)) {
                let place = place(microseconds: time)
                if place - (ticks.last?.place ?? -distance) >= distance, width - place >= distance {
                    ticks.append(Tick(place: place, label: Self.label(time, step: step)))
                }
            }
        }
        return ticks + [Tick(place: width, label: last.thousandths + " s")]
    }

    /// `0.25 s`, with as many decimals as the step has.
    private static func label(_ time: Int64, step: Int64) -> String {
        let digits: [Int64] = [1_000_000, 100_000, 10_000]
        let decimals = digits.firstIndex { step % $0 == 0 } ?? 3
        let thousandths = Duration.microseconds(time).thousandths
        return String(thousandths.dropLast(decimals == 0 ? 4 : 3 - decimals)) + " s"
    }

    /// Items in order, those together that are too close to be drawn one by one: an item joins what begins less than
    /// `distance` before its end.
    func clusters<Item>(
        of items: [Item], within distance: Int, _ span: (Item) -> ClosedRange<Duration>
    ) -> [[Item]] {
        var clusters: [[Item]] = []
        var start = 0
        for item in items {
            let span = span(item)
            if !clusters.isEmpty, place(span.upperBound) - start < distance {
                clusters[clusters.count - 1].append(item)
            } else {
                clusters.append([item])
                start = place(span.lowerBound)
            }
        }
        return clusters
    }
}

extension Duration {
    /// Whole microseconds.
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflows ? .max / 1_000_000 : product + attoseconds / 1_000_000_000_000
    }
}
