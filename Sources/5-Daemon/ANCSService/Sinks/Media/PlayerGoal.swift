internal import AMS

/// A value that was written to a property of a phone's player. AMS cannot set it, only advance it, so it is reached step
/// by step: each follows the report of the last one.
struct PlayerGoal: Sendable {
    /// What is written.
    enum Kind: Hashable, Sendable, CaseIterable {
        /// `LoopStatus`: the number of a ``MediaMode``.
        case loop
        /// `Shuffle`: 1 or 0.
        case shuffle
        /// `Volume`: in thousandths.
        case volume
    }

    /// How long a phone has to report a step: later, the value changes because its user changes it.
    private static let patience = Duration.seconds(5)
    /// A step of the volume is a sixteenth: closer than by half of it, there is no closer one.
    private static let nearest = 1000 / 32

    let kind: Kind
    let target: Int
    /// What the phone reported when the last step was taken; another report follows it, or none does in time.
    private var last: Int?
    private var deadline: MonotonicInstant
    private var direction: RemoteCommandID?
    private var stepsLeft: Int

    /// A goal, in place of an earlier one: a step whose report is awaited still is.
    init(_ kind: Kind, _ target: Int, after earlier: PlayerGoal?, at now: MonotonicInstant) {
        (self.kind, self.target) = (kind, target)
        if let earlier, now <= earlier.deadline { last = earlier.last }
        deadline = now + Self.patience
        stepsLeft = kind == .volume ? 16 : 2
    }

    /// The next step, if one is due. `isDone` when none will be.
    mutating func next(
        _ state: MediaState, at now: MonotonicInstant
    ) -> (step: RemoteCommandID?, isDone: Bool) {
        guard now <= deadline, let value = value(in: state) else { return (nil, true) }
        guard value != last else { return (nil, false) }
        // A step too far is not taken back.
        guard stepsLeft > 0, let step = step(from: value), direction == nil || direction == step,
            state.commands.contains(step)
        else { return (nil, true) }
        stepsLeft -= 1
        (direction, last, deadline) = (step, value, now + Self.patience)
        return (step, false)
    }

    private func value(in state: MediaState) -> Int? {
        switch kind {
        case .loop: state.repeatMode.map { Int($0.rawValue) }
        case .shuffle: state.shuffleMode.map { Int($0.rawValue) }
        case .volume: state.volume
        }
    }

    /// The step that leads on from a value; `nil` if it is as near as can be.
    private func step(from value: Int) -> RemoteCommandID? {
        switch kind {
        case .loop: value == target ? nil : .advanceRepeatMode
        case .shuffle: (value == 0) == (target == 0) ? nil : .advanceShuffleMode
        case .volume where abs(value - target) <= Self.nearest: nil
        case .volume: value < target ? .volumeUp : .volumeDown
        }
    }
}
