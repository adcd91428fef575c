internal import ANCSCapture
internal import JSONText
internal import LinuxIO

// What the accessory did, and what the player of the phone reported to it.
extension PhoneStory {
    mutating func act(
        _ action: ActionID, _ error: ATTErrorCode?, of index: Int, at time: CaptureTime
    ) {
        guard expectsAccessory else { return }
        guard let error else {
            let word: JSONValue = action == .positive ? "positive" : "negative"
            return expect([.init("action", word)], of: index, at: time)
        }
        let answer = ControlPointError(rawValue: error.rawValue)
        expect(
            [.init("command", "performNotificationAction"), .init("answer", .string("\(answer)"))],
            of: index, at: time)
    }

    mutating func expect(_ command: String, of index: Int, at time: CaptureTime) {
        guard expectsAccessory else { return }
        expect(
            [.init("command", .string(command)), .init("answer", "success")], of: index, at: time)
    }

    private mutating func expect(
        _ members: [JSONValue.Member], of index: Int, at time: CaptureTime
    ) {
        var step = ScenarioStep(time, .expect(members, of: index))
        step.isOfPhone = false
        steps.append(step)
    }

    mutating func follow(_ event: CaptureEvent.MediaEvent, at time: CaptureTime) {
        switch event {
        case .update(let octets):
            guard let update = try? EntityUpdate(decoding: octets.span) else { return }
            player.receive(update, at: time, &steps)
        case .supported(let commands): player.support(commands)
        case .command(_, nil): player.obey(at: time)
        case .value(let attribute?, let octets): player.complete(attribute, octets, &steps)
        case .subscription, .registration, .command, .value, .part, .unread: break
        }
    }
}
