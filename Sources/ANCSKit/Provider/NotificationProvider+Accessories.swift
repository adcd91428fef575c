public import ANCS

// The phone's accessories.
extension NotificationProvider {
    /// The accessories that are known: connected, on air, or bonded; in the order in which they were
    /// first heard of.
    public var accessories: [Accessory] {
        peers.values.sorted { $0.id.rawValue < $1.id.rawValue }.map(\.accessory)
    }

    /// An accessory that is known; `nil` if it is not, or no longer.
    public func accessory(_ id: AccessoryID) -> Accessory? { peers[id]?.accessory }

    /// Which accessory a peripheral of the phone's adapter is; `nil` where it was not heard of in this run.
    public func accessory(of peripheral: PeerIdentifier) -> AccessoryID? {
        port.accessory(of: peripheral)
    }

    /// The user agrees to *Share System Notifications* with an accessory, or no longer does (S1).
    public func setConsent(_ isGiven: Bool, for id: AccessoryID) {
        peers[id]?.hasConsent = isGiven
        withLink(of: id) { $0.session.consentChanged(isGiven) }
    }

    /// Pairs with a connected accessory, or encrypts the link with the bond.
    public func pair(_ id: AccessoryID) { port.pair(id) }

    /// Ends the link to an accessory. The phone connects again when it advertises.
    public func disconnect(_ id: AccessoryID) { port.disconnect(id) }

    /// Removes the bond with an accessory, and ends the link.
    public func forget(_ id: AccessoryID) { port.forget(id) }
}

// What goes wrong on purpose.
extension NotificationProvider {
    /// Has answers to an accessory go wrong; without one, to all that are connected.
    public func inject(_ fault: AnswerFault, at id: AccessoryID? = nil) {
        forLinks(of: id) { $0.session.inject(fault) }
    }

    /// Takes back what was injected and has not happened.
    public func clearFaults(at id: AccessoryID? = nil) {
        forLinks(of: id) { $0.session.clearFaults() }
    }

    /// How the phone behaves from now on, towards one accessory until its link ends, or towards all
    /// for good.
    public func setBehavior(_ behavior: ProviderBehavior, for id: AccessoryID? = nil) {
        if id == nil {
            self.behavior = behavior
            port.setHiddenUntilEncrypted(behavior.hidesServiceUntilEncrypted)
        }
        forLinks(of: id) { $0.session.behavior = behavior }
    }

    /// The phone forgets that accessories subscribed to a characteristic, without a word, while the
    /// Control Point goes on (S27); subscribing again helps.
    public func loseSubscription(
        to characteristic: ProviderEvent.Characteristic, of id: AccessoryID? = nil
    ) {
        forLinks(of: id) { $0.session.loseSubscription(to: characteristic) }
    }

    private func forLinks(of id: AccessoryID?, _ body: (PeerLink) -> Void) {
        for peer in linkedPeers where id == nil || peer.id == id {
            withLink(of: peer.id, body)
        }
    }

    /// ANCS appears, or disappears (R5, S2); `announcing` tells it by Service Changed. The sessions end.
    /// It appears where it was, or with its declaration at another `handle`, from 0x0023 to 0xFFF6.
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
