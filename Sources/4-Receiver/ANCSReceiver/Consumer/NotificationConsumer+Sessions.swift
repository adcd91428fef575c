internal import ANCS
internal import LinuxIO

// The phones, and their sessions.
extension NotificationConsumer {
    func connected(_ id: PhoneID, _ description: PeerDescription) {
        let liveness = description.identity.flatMap { silentProviders[$0] } ?? .live
        let provider = Provider(
            id: id, identity: description.identity,
            machines: ProviderMachines(
                feed: makeFeed(liveness: liveness), clock: makeClock(of: description.identity)))
        provider.timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { consumer in
                let now = consumer.loop.now
                consumer.provider(id)?.companion?.handleTimeout(at: now)
                consumer.feed(id) { $0.handleTimeout(at: now) }
            }
        }
        provider.companion = companion?.makeClient(of: id, identity: description.identity)
        providers.append(provider)
    }

    private func makeFeed(liveness: ConsumerSession.Liveness) -> NotificationFeed {
        NotificationFeed(configuration: configuration.feedConfiguration, liveness: liveness)
    }

    private func deliver(_ delivery: NotificationFeed.Delivery, of provider: Provider) {
        guard let session = provider.session else { return }
        var delivery = delivery
        delivery.utcOffset = provider.machines.clock.utcOffset
        delivery.wasSeen = memory?.note(delivery, session: provider.rememberedSession)
        if memory?.isChanged == true, memoryTimer.deadline == nil {
            memoryTimer.deadline = loop.now + RememberedNotifications.gathering
        }
        if configuration.removesDirections { delivery = delivery.withoutDirections }
        channel.send(.notification(ReceivedNotification(delivery, session: session)))
        provider.machines.clock.delivered(at: loop.now)
    }

    func saveMemory() {
        memoryTimer.deadline = nil
        let problem = memory?.save()
        let isNew = problem != exchange(&memoryProblem, with: problem)
        guard let problem, isNew else { return }
        channel.send(.device(.warning(DeviceWarning(.storage, problem))))
    }

    /// A phone that does not answer often ends the link before the session can classify it as wedged, so the
    /// next link starts with what this one found.
    private func livenessChanged(_ liveness: ConsumerSession.Liveness, of provider: Provider) {
        if let identity = provider.identity {
            silentProviders[identity] = liveness == .live ? nil : .suspect
        }
        channel.send(.session(provider.id, .livenessChanged(liveness)))
    }

    func feed(_ id: PhoneID, _ body: (inout NotificationFeed) -> Void) {
        guard let provider = self.provider(id) else { return }
        body(&provider.machines.feed)
        drain(provider)
    }

    /// The service was removed: the session is over, and the next one starts from nothing (R51).
    func restart(_ id: PhoneID) {
        guard let provider = self.provider(id) else { return }
        end(provider, .serviceGone)
        provider.machines.feed = makeFeed(liveness: provider.machines.feed.liveness)
    }

    func end(_ provider: Provider, _ reason: SessionEnd) {
        provider.machines.feed.end(at: loop.now)
        provider.machines.clock.sessionEnded()
        drain(provider)
        provider.timer?.deadline = nil
        sessionEnded(provider, reason)
    }

    private func started(_ provider: Provider) {
        lastSession += 1
        let session = SessionID(provider: provider.id, number: lastSession)
        provider.session = session
        provider.machines.clock.sessionStarted(at: loop.now)
        provider.machines.feed.startDate = provider.machines.clock.startDate
        provider.rememberedSession = memory?.beginSession() ?? 0
        planCompanion(of: provider)
        channel.send(.session(provider.id, .started(session)))
    }

    private func sessionEnded(_ provider: Provider, _ reason: SessionEnd) {
        guard let session = exchange(&provider.session, with: nil) else { return }
        saveMemory()
        channel.send(.session(provider.id, .ended(session, reason)))
    }

    func drain(_ provider: Provider) {
        let now = loop.now
        while true {
            switch provider.machines.next(at: now) {
            case .feed(let output): handle(output, of: provider)
            case .readClock: port.readClock(of: provider.id)
            case .rest(let deadline):
                if let client = provider.companion { drain(client, of: provider) }
                provider.timer?.deadline = .earliest(deadline, companionDeadline(of: provider))
                return
            }
        }
    }

    private func handle(_ output: NotificationFeed.Output, of provider: Provider) {
        switch output {
        case .link(let request): port.request(request, of: provider.id)
        case .report(let report): follow(report, of: provider)
        case .announced(let value):
            guard let session = provider.session else { return }
            let call = NotificationFeed.Delivery(source: value)
            channel.send(
                .session(provider.id, .announced(ReceivedNotification(call, session: session))))
        case .selecting(let delivery, let known):
            let selection = provider.session.flatMap { session in
                configuration.selection?(ReceivedNotification(delivery, session: session), known)
            }
            provider.machines.feed.select(
                selection ?? .everything, of: delivery.source.notificationUID, at: loop.now)
        case .notification(let delivery): deliver(delivery, of: provider)
        case .completed(let request, let outcome):
            provider.requests.removeValue(forKey: request)?.resume(returning: .success(outcome))
        }
    }

    private func follow(_ report: ConsumerSession.Report, of provider: Provider) {
        switch report {
        case .started: started(provider)
        case .authorizationChanged(let authorization):
            channel.send(.session(provider.id, .authorizationChanged(authorization)))
        case .livenessChanged(let liveness): livenessChanged(liveness, of: provider)
        case .renewing(let reason): sessionEnded(provider, .renewed(reason))
        case .subscriptionFailed(let errorCode):
            let warning = DeviceWarning(
                .subscription,
                "the phone refused the subscription to notifications: "
                    + ATTErrorCode(rawValue: errorCode).nameWithCode)
            channel.send(.device(.warning(warning)))
        }
    }
}
