package import ANCSKit

// Decides which events fulfill the conditions of a scenario.

extension Milestone {
    /// Whether the state of the accessory fulfills the milestone.
    func isReached(by state: AccessoryKnowledge) -> Bool {
        switch self {
        case .connected: state.isConnected
        case .encrypted: state.isEncrypted
        case .paired: state.hasPaired
        case .bonded: state.isBonded
        case .restored: state.isRestored
        case .session: state.hasSession
        case .subscribed: state.hasSession && state.canReceiveAnswers
        case .sessionEnded: state.hadSession && !state.hasSession
        case .disconnected: !state.isConnected
        case .command, .action: false
        }
    }

    /// The expectation of a milestone that is an event rather than a state.
    package var expectation: Expectation? {
        switch self {
        case .command: .command(CommandPattern())
        case .action: .action(nil, of: nil)
        case .connected, .encrypted, .paired, .bonded, .restored, .session, .subscribed,
            .sessionEnded, .disconnected:
            nil
        }
    }
}

extension Expectation {
    /// The name of the notification that it is about.
    package var notification: String? {
        switch self {
        case .command(let pattern): pattern.notification
        case .action(_, let name): name
        case .absence(.binding, _, _), .subscription, .read, .parameters, .binding, .remoteCommand,
            .registration, .mediaRead:
            nil
        case .absence(_, let name, _): name
        }
    }

    /// Whether an event fulfills the expectation.
    func isFulfilled(by entry: ScenarioTimeline.Entry, _ names: [String: NotificationID]) -> Bool {
        switch self {
        case .command(let pattern): pattern.matches(entry, names)
        case .action(let action, let name):
            if case .session(_, .action(let request, let isPerformed)) = entry.event {
                isPerformed && (action == nil || request.actionID == action)
                    && (name == nil || entry.notification == name.flatMap { names[$0] })
            } else {
                false
            }
        case .read(let wanted):
            if case .session(_, .attributeRead(let attribute)) = entry.event {
                attribute == wanted
            } else {
                false
            }
        case .parameters(let wanted):
            if case .link(_, .parametersRequested(let request)) = entry.event {
                wanted == nil || request.answer == wanted
            } else {
                false
            }
        // States and absences are not events.
        case .remoteCommand(let wanted):
            if case .session(_, .media(.commanded(let command, _))) = entry.event {
                wanted == nil || command == wanted
            } else {
                false
            }
        case .mediaRead(let wanted):
            if case .session(_, .media(.read(wanted, let part, let count))) = entry.event {
                part.upperBound >= count
            } else {
                false
            }
        case .absence, .subscription, .binding, .registration: false
        }
    }
}

extension CommandPattern {
    /// Whether an event shows such a command, with the required answer if there is one.
    package func matches(_ entry: ScenarioTimeline.Entry, _ names: [String: NotificationID]) -> Bool
    {
        switch entry.event {
        case .session(_, .command(let command)): outcome == nil && matches(command, entry, names)
        case .session(_, .answered(let command, let answer)):
            outcome.map { $0.describes(answer) } == true && matches(command, entry, names)
        case .device, .peer, .link, .session, .notification: false
        }
    }

    private func matches(
        _ received: ProviderSession.Command, _ entry: ScenarioTimeline.Entry,
        _ names: [String: NotificationID]
    ) -> Bool {
        if let notification, entry.notification != names[notification] { return false }
        guard case .decoded(let decoded) = received else {
            return command == nil && app == nil && notification == nil
        }
        guard command == nil || command == decoded.commandID else { return false }
        switch decoded {
        case .getNotificationAttributes(let get): return app == nil && missing(in: get).isEmpty
        case .getAppAttributes(let get): return app == nil || app == get.appIdentifier.description
        case .performNotificationAction: return app == nil
        }
    }

    /// The attributes that a command should ask for but does not.
    package func missing(in get: GetNotificationAttributes) -> [NotificationAttributeID] {
        attributes.filter { attribute in !get.attributes.contains { $0.id == attribute } }
    }
}

extension ProviderEvent {
    /// The attributes of a notification that a command, or one that was answered, asks for.
    var requestedAttributes: [NotificationAttributeID]? {
        switch self {
        case .session(_, .command(.decoded(.getNotificationAttributes(let get)))),
            .session(_, .answered(.decoded(.getNotificationAttributes(let get)), _)):
            get.attributes.map(\.id)
        case .device, .peer, .link, .session, .notification: nil
        }
    }
}

extension CommandPattern.Outcome {
    fileprivate func describes(_ answer: ProviderSession.Outcome) -> Bool {
        switch answer {
        case .sent, .performed: self == .success
        case .refused(let error): self == .refused(error)
        case .withheld, .ignored, .abandoned: false
        }
    }
}

extension Absence {
    /// Whether an event is one that should not happen.
    package func describes(_ event: ProviderEvent) -> Bool {
        switch event {
        case .session(_, .command): self == .command
        case .session(_, .action): self == .action
        case .peer(_, .paired), .peer(_, .pairing): self == .pairing
        case .peer(_, .connected): self == .connection
        case .peer(_, .disconnected): self == .disconnection
        case .link(_, .parametersRequested): self == .parameters
        case .session(_, .media(.commanded)): self == .mediaCommand
        case .session(_, .media(.read)): self == .mediaRead
        case .device, .peer, .link, .session, .notification: false
        }
    }
}
