internal import LinuxIO
internal import Printing

/// Where a time of a run lies on an axis. Times in which nothing happens are shortened, if that leaves room for what
/// happens.
struct TimeScale: Equatable, Sendable {
    /// A part of the run.
    private struct Piece: Equatable {
        var start: Int64
        var end: Int64
        /// Where it begins, in microseconds of the shortened time.
        var shownStart: Int64
        var shownLength: Int64

        var isShortened: Bool { shownLength < end - start }
    }

    /// A time that is shortened.
    struct Break: Equatable, Sendable {
        /// The tenths of units at which it begins and ends.
        var start: Int
        var end: Int
        var duration: Duration
    }

    /// A labeled time.
    struct Tick: Equatable, Sendable {
        /// In tenths of units.
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
        var pieces: [Piece] = []
        var place: Int64 = 0
        for (start, gap) in zip(points, gaps) {
            let length = min(gap, limit)
            pieces.append(
                Piece(start: start, end: start + gap, shownStart: place, shownLength: length))
            place += length
        }
        self.pieces = pieces
        shown = max(place, 1)
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

    /// The place of a time, in tenths of units.
    func place(_ time: Duration) -> Int { place(microseconds: time.microseconds) }

    private func place(microseconds time: Int64) -> Int {
        guard let piece = piece(at: time) else { return time < 0 ? 0 : width * 10 }
        let length = max(piece.end - piece.start, 1)
        // In a shortened piece, all times but its ends are about in its middle.
        let within = Int64(Double(time - piece.start) / Double(length) * Double(piece.shownLength))
        return Int((piece.shownStart + within) * Int64(width) * 10 / shown)
    }

    private func piece(at time: Int64) -> Piece? {
        var (low, high) = (0, pieces.count - 1)
        while low <= high {
            let middle = (low + high) / 2
            if time < pieces[middle].start {
                high = middle - 1
            } else if time > pieces[middle].end {
                low = middle + 1
            } else {
                return pieces[middle]
            }
        }
        return nil
    }

    /// The times that are shortened, where that can be seen.
    var breaks: [Break] {
        pieces.filter(\.isShortened).compactMap { piece in
            let place = Break(
                start: self.place(microseconds: piece.start),
                end: self.place(microseconds: piece.end),
                duration: .microseconds(piece.end - piece.start))
            return place.end - place.start >= 60 ? place : nil
        }
    }

    /// Round times at least `distance` units apart, and the end. None is within a shortened time.
    func ticks(distance: Int) -> [Tick] {
        let wanted = max(shown * Int64(distance) / Int64(width), 1)
        var step: Int64 = 1000
        while step < wanted {
            for factor: Int64 in [2, 5, 10] where step * factor >= wanted {
                return ticks(every: step * factor, distance)
            }
            step *= 10
        }
        return ticks(every: step, distance)
    }

    private func ticks(every step: Int64, _ distance: Int) -> [Tick] {
        let end = Tick(place: width * 10, label: Self.label(pieces.last?.end ?? 0, step: 1000))
        var ticks: [Tick] = []
        for piece in pieces {
            // A shortened piece has its ends only, which belong to its neighbors.
            guard !piece.isShortened else { continue }
            var time = (piece.start + step - 1) / step * step
            while time <= piece.end {
                let place = self.place(microseconds: time)
                if place - (ticks.last?.place ?? -distance * 10) >= distance * 10,
                    end.place - place >= distance * 10
                {
                    ticks.append(Tick(place: place, label: Self.label(time, step: step)))
                }
                time += step
            }
        }
        return ticks + [end]
    }

    /// `0.25 s`, with as many decimals as the step has.
    private static func label(_ time: Int64, step: Int64) -> String {
        let thousandths = Duration.microseconds(time).thousandths
        let decimals =
            step % 1_000_000 == 0 ? 0 : step % 100_000 == 0 ? 1 : step % 10_000 == 0 ? 2 : 3
        return String(thousandths.dropLast(decimals == 0 ? 4 : 3 - decimals)) + " s"
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
