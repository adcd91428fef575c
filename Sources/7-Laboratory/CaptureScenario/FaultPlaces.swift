internal import JSONText
internal import LinuxIO

/// Finds the places of what goes wrong with commands: before the step that led to a command, and after the end of the
/// command before. Where no step led to it, a step of its own is put between the two.
struct FaultPlaces {
    /// Whether the capture is the phone's: what it did at the same moment as a command came is an effect of that.
    let isOfPhone: Bool
    /// The first step after the command, and the last ones before it that wait for the accessory or are of the phone.
    private var next = 0
    private var (wait, cause) = (-1, -1)
    private var added: [(place: Int, step: ScenarioStep)] = []

    init(isOfPhone: Bool) { self.isOfPhone = isOfPhone }

    mutating func advance(to time: CaptureTime, _ steps: [ScenarioStep]) {
        while next < steps.count {
            let step = steps[next]
            let isBefore = step.isWait || !isOfPhone ? step.time <= time : step.time < time
            guard isBefore else { return }
            if case .wait = step.deed { wait = next }
            if step.isOfPhone, !step.isWait { cause = next }
            next += 1
        }
    }

    mutating func put(
        _ members: [JSONValue.Member], after earlier: CaptureTime?,
        _ command: CommandStory.Command, _ steps: inout [ScenarioStep]
    ) {
        if cause > wait, earlier.map({ steps[cause].time > $0 }) ?? true {
            return steps[cause].preceding.append(members)
        }
        var start = earlier ?? command.session
        if wait >= 0 { start = max(start, steps[wait].time) }
        let step = ScenarioStep(start + (command.time - start) / 2, .other(members))
        var place = next
        while place > wait + 1, steps[place - 1].time > step.time { place -= 1 }
        added.append((place, step))
    }

    /// The steps with those of its own.
    func merged(into steps: [ScenarioStep]) -> [ScenarioStep] {
        var merged: [ScenarioStep] = []
        var rest = added[...]
        for index in 0...steps.count {
            while let first = rest.first, first.place <= index {
                merged.append(first.step)
                rest.removeFirst()
            }
            if index < steps.count { merged.append(steps[index]) }
        }
        return merged
    }
}
