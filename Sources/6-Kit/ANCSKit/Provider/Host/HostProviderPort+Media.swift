internal import AMS
internal import BluetoothLE

// The Apple Media Service.
extension HostProviderPort {
    func setMediaService(_ service: MediaService?, announcing: Bool) {
        mediaService = service
        if let published = exchange(&ams, with: nil) {
            system.removeService(
                startingAt: published.declaration, announcing: announcing, by: client)
        }
        // Before the port is open, the services in front of it are missing.
        guard let service, outlet.isOpen else { return }
        var definition = PhoneServices.ams(service)
        definition.isHiddenUntilEncrypted = isHiddenUntilEncrypted
        func add(at handle: AttributeHandle?) -> ServiceHandles? {
            try? system.addService(
                definition, startingAt: handle, announcing: announcing, by: client)
        }
        // ANCS may have moved to its handles, or an app have taken them.
        let handles = add(at: PhoneServices.amsHandle) ?? add(at: nil)
        ams = handles.map { PhoneServices.AMSHandles($0, of: service) }
    }

    /// Adds a service where the Apple Media Service may be in the way, which then moves; its subscriptions end.
    func withMediaElsewhere(announcing: Bool, _ add: () -> ServiceHandles?) -> ServiceHandles? {
        guard ams != nil else { return nil }
        let service = mediaService
        setMediaService(nil, announcing: announcing)
        let handles = add()
        setMediaService(service, announcing: announcing)
        for link in sortedLinks {
            for part in MediaService.Part.allCases { mediaSubscribed(to: part, false, of: link) }
        }
        return handles
    }

    func request(_ request: MediaSourceSession.LinkRequest, of accessory: AccessoryID) {
        guard let link = links[accessory] else { return }
        switch request {
        case .notify(let characteristic, let value):
            guard let handle = ams?.values[MediaService.Part(characteristic)] else { return }
            system.notify(value, of: handle, to: link.peer)
        case .respond(let error): answer(error.map { .failure($0.code) } ?? .success([]), link)
        case .answerRead(let value): answer(.success(value), link)
        case .refuseRead(let error): answer(.failure(error.code), link)
        }
    }

    private func answer(_ answer: Result<[UInt8], ATTErrorCode>, _ link: Link) {
        guard let token = exchange(&link.mediaRequest, with: nil) else { return }
        system.respond(to: token, with: answer, of: link.peer)
    }

    func mediaSubscribed(to part: MediaService.Part, _ isSubscribed: Bool, of link: Link) {
        guard let characteristic = part.notifying else { return }
        outlet.send(
            .media(
                link.accessory,
                isSubscribed ? .subscribed(characteristic) : .unsubscribed(characteristic)))
    }

    func mediaRead(_ token: ATTBearer.RequestToken, of link: Link) {
        link.mediaRequest = token
        outlet.send(.media(link.accessory, .entityAttributeRead(from: Int(token.offset))))
    }

    func mediaWritten(
        _ value: [UInt8], to part: MediaService.Part, _ token: ATTBearer.RequestToken, of link: Link
    ) {
        link.mediaRequest = token
        let report: MediaSourceSession.LinkReport =
            switch part {
            case .remoteCommand: .remoteCommandWritten(value)
            case .entityUpdate: .entityUpdateWritten(value)
            case .entityAttribute: .entityAttributeWritten(value)
            }
        outlet.send(.media(link.accessory, report))
    }
}

extension MediaServiceError {
    fileprivate var code: ATTErrorCode { ATTErrorCode(rawValue: rawValue) }
}
