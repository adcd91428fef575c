public import ANCSProvider
internal import LinuxIO

// Accessories.
extension NotificationProvider {
    /// The known accessories: connected, advertising, or bonded; in the order in which they were first seen.
    public var accessories: [Accessory] {
        peers.values.sorted(byNumber: \.id.rawValue).map(\.accessory)
    }

    /// A known accessory; `nil` if it is not known, or no longer.
    public func accessory(_ id: AccessoryID) -> Accessory? { peers[id]?.accessory }

    /// The accessory that a peripheral of the phone's adapter stands for; `nil` if it was not seen in this
    /// run.
    public func accessory(of peripheral: PeerIdentifier) -> AccessoryID? {
        port.accessory(of: peripheral)
    }

    /// What the phone has heard of advertisers that it does not connect to, a sentence each. Their names are untrusted.
    package var passedOver: [String] { port.passedOver }

    /// Sets whether the user agrees to *Share System Notifications* with an accessory (S1).
    public func setConsent(_ isGiven: Bool, for id: AccessoryID) {
        peers[id]?.hasConsent = isGiven
        withLink(of: id) { $0.session.consentChanged(isGiven) }
    }

    /// Pairs with a connected accessory, or encrypts the link with its bond.
    public func pair(_ id: AccessoryID) { port.pair(id) }

    /// Discovers the primary services of a connected accessory, without pairing and without subscribing to
    /// anything; ``ProviderEvent/LinkEvent/servicesFound(_:)`` follows, unless the link ends before.
    public func discoverServices(of id: AccessoryID) { port.discoverServices(of: id) }

    /// Changes the parameters of the link to an accessory, as iPhones do at times without being asked. Nothing
    /// happens if they are invalid, or while another change is in progress.
    public func changeParameters(_ parameters: LinkParameters, of id: AccessoryID) {
        port.changeParameters(parameters, of: id)
    }

    /// Ends the link to an accessory. The phone connects again when the accessory advertises.
    public func disconnect(_ id: AccessoryID) { port.disconnect(id) }

    /// Removes the bond with an accessory, and ends its link.
    public func forget(_ id: AccessoryID) { port.forget(id) }
}

// Faults.
extension NotificationProvider {
    /// Injects a fault into the answers to an accessory, or for `nil` to all connected ones.
    public func inject(_ fault: AnswerFault, at id: AccessoryID? = nil) {
        forLinks(of: id) { $0.session.inject(fault) }
    }

    /// Injects a fault into the next answers to requests for connection parameters: those to an accessory or,
    /// for `nil`, to all. Without a fault, `ProviderBehavior.link` decides.
    public func inject(_ fault: ParameterFault, count: Int = 1, at id: AccessoryID? = nil) {
        guard count > 0 else { return }
        port.inject(fault, count: count, at: id)
    }

    /// Nothing is heard on air for a time, at most a day, from one accessory or, for `nil`, from all: a fade of
    /// the radio, which only virtual controllers know. Returns `false` at any other controller, or if the
    /// accessory is not connected.
    public func fade(_ id: AccessoryID? = nil, for length: Duration) -> Bool {
        port.fade(id, for: length)
    }

    /// Nothing is heard of an accessory until the link is lost. Returns `false` if that is impossible.
    package func loseLink(to id: AccessoryID) -> Bool { port.fade(id, for: nil) }

    /// Removes the injected faults that have not taken effect yet.
    public func clearFaults(at id: AccessoryID? = nil) {
        forLinks(of: id) { link in
            link.session.clearFaults()
            link.media.clearFaults()
        }
        port.clearParameterFaults(at: id)
    }

    /// Removes those that concern requests for connection parameters.
    package func clearParameterFaults() { port.clearParameterFaults(at: nil) }

    /// Sets how the phone behaves from now on: for one accessory until its link ends, or for `nil` for all,
    /// permanently.
    public func setBehavior(_ behavior: ProviderBehavior, for id: AccessoryID? = nil) {
        if id == nil {
            self.behavior = behavior
            port.setHiddenUntilEncrypted(behavior.hidesServiceUntilEncrypted)
            port.setLinkNumbers(behavior.link)
            port.setMaximumMTU(
                min(behavior.maximumMTU ?? configuration.maximumMTU, configuration.maximumMTU))
        }
        forLinks(of: id) { $0.session.behavior = behavior }
    }

    /// Drops subscriptions of accessories to a characteristic silently, while the Control Point still
    /// responds (S27); subscribing again restores them.
    public func loseSubscription(
        to characteristic: ProviderEvent.Characteristic, of id: AccessoryID? = nil
    ) { forLinks(of: id) { $0.session.loseSubscription(to: characteristic) } }

    private func forLinks(of id: AccessoryID?, _ body: (PeerLink) -> Void) {
        for peer in linkedPeers where id == nil || peer.id == id { withLink(of: peer.id, body) }
    }

    /// Publishes ANCS, or removes it (R5, S2); with `announcing`, Service Changed reports it. Sessions end.
    /// ANCS is published at its former handle, or with its declaration at another `handle`, from 0x0023 to
    /// 0xFFF6.
    public func setANCSPublished(
        _ isPublished: Bool, at handle: UInt16? = nil, announcing: Bool = true
    ) {
        guard self.isPublished != isPublished else { return }
        self.isPublished = isPublished
        if !isPublished {
            for peer in linkedPeers {
                receive(.unsubscribed(.notificationSource), of: peer.id)
                receive(.unsubscribed(.dataSource), of: peer.id)
            }
        }
        if let handle { serviceHandle = handle }
        port.setPublished(at: isPublished ? serviceHandle : nil, announcing: announcing)
    }
}

extension NotificationProvider.Peer {
    fileprivate var accessory: Accessory {
        Accessory(
            id: id, description: description, isConnected: link != nil,
            protection: link?.protection, isBonded: isBonded, hasConsent: hasConsent,
            mtu: link?.mtu ?? 23,
            isSubscribedToNotificationSource: link?.isSubscribedToNotificationSource ?? false,
            isSubscribedToDataSource: link?.isSubscribedToDataSource ?? false)
    }
}
