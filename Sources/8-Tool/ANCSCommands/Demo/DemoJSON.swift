internal import Printing

/// Shows a demo as JSON Lines: the objects of `ancs phone` and `ancs receive`, each with `side` (`phone`,
/// `accessory` or `scenario`) and `time`, in seconds since the start.
struct DemoJSON: DemoView {
    func show(_ line: Line, of side: DemoSide, at time: MonotonicInstant) -> [String] {
        guard line.kind != nil else { return [] }
        let milliseconds = time.nanoseconds / 1_000_000
        return [
            JSONWriter.text { object in
                object.add("side", .string(side.rawValue))
                object.add("time", .number(Double(milliseconds) / 1000))
                line.describe(to: &object)
            }
        ]
    }

    func flush() -> [String] { [] }

    var isWaiting: Bool { false }
}
