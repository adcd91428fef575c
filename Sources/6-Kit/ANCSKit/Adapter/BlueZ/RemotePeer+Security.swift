internal import BlueZ

// Pairing. bluetoothd owns the keys, protects the link of a bonded peer by itself, and does not say how a link is
// protected. This system calls `Pair` when the peer refuses something for want of security, or when a client wants
// it, and then makes the requests again.
extension RemotePeer {
    /// Whether what was refused for want of security may be tried again after pairing.
    var mayPair: Bool { isUp && !object.isPaired && security != .failed }

    /// A client wants the peer to be paired. After a failure there is another attempt.
    mutating func pairForClient(at now: MonotonicInstant) {
        guard isUp else { return }
        guard !object.isPaired else { return report(.paired(isBonded: true, replacesBond: false)) }
        if security == .failed { security = .resting }
        // Pairing in the middle of bluetoothd's discovery hides services from it (5.66 to 5.87).
        guard object.hasResolvedServices else {
            isPairingWanted = true
            resolveBy = resolveBy ?? now + Self.resolutionTime
            return
        }
        pair()
    }

    /// Pairs, unless that is under way.
    mutating func pair() {
        guard security == .resting else { return }
        security = .pairing
        call(.pair)
    }

    /// bluetoothd asks our agent about a pairing that it began by itself, because the peer refused a request of ours
    /// that has no answer yet. `Pair` joins it. Were it refused, the request would stay without an answer.
    mutating func joinPairing() {
        guard mayPair, awaitsReply else { return }
        pair()
    }

    /// Whether a request or a subscription was called that the peer may refuse for want of security.
    private var awaitsReply: Bool {
        queues.values.contains { queue in
            if case .called = queue.state { queue.first?.kind.isCommand == false } else { false }
        }
            || subscriptions.values.contains { subscription in
                switch subscription.machine.state {
                case .acquiring, .starting: true
                case .none, .trying, .socket, .notifying, .stopping, .pausing, .awaitingPairing:
                    false
                }
            }
    }

    mutating func pairReplied(_ result: BusResult, at now: MonotonicInstant) {
        guard security == .pairing else { return }
        switch result {
        case .success: pairingSucceeded(at: now)
        case .failure(let error):
            if object.isPaired || error.blueZName == "AlreadyExists" {
                pairingSucceeded(at: now)
            } else if error.isInProgress {
                security = .pairedByOther(until: now + Call.pair.limit)
            } else {
                pairingFailed(error.pairingFailure, at: now)
            }
        }
    }

    /// The property says that there is a bond. If this system pairs, the reply follows.
    mutating func bondAppeared(at now: MonotonicInstant) {
        switch security {
        case .pairing: break
        case .resting, .pairedByOther, .failed: pairingSucceeded(at: now)
        }
    }

    private mutating func pairingSucceeded(at now: MonotonicInstant) {
        security = .resting
        isPairingWanted = false
        isUntried = true
        report(.paired(isBonded: true, replacesBond: false))
        for handle in queues.keys { queues[handle]?.paired() }
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue)
        where subscriptions[handle]?.machine.state == .awaitingPairing {
            subscriptions[handle]?.hasPaired = true
            subscriptions[handle]?.machine.state = .none
        }
        advanceAll(at: now)
    }

    mutating func pairingFailed(_ failure: SecurityFailure, at now: MonotonicInstant) {
        security = .failed
        report(.failed(failure))
        for handle in queues.keys.sorted(byNumber: \.rawValue)
        where queues[handle]?.state == .awaitingPairing {
            finish(handle, .failure(.unprotected(handle)), at: now)
        }
        for handle in subscriptions.keys.sorted(byNumber: \.rawValue)
        where subscriptions[handle]?.machine.state == .awaitingPairing {
            subscriptions[handle]?.machine.state = .none
            subscriptionFailed(handle, .unprotected(handle), at: now)
        }
        advanceAll(at: now)
    }

    /// bluetoothd has a bond with the peer, and the peer asks for one: its side has forgotten it. bluetoothd does not
    /// pair again by itself (`JustWorksRepairing`); the device has to be removed.
    mutating func noteLostKeys() {
        guard object.isPaired, !exchange(&hasLostKeys, with: true) else { return }
        report(.failed(.peerLostBond))
    }
}

extension PeerRequestFailure {
    /// The peer wants a better protected link for an attribute.
    static func unprotected(_ handle: AttributeHandle) -> Self {
        .gatt(.errorResponse(.insufficientAuthentication, handle))
    }
}

extension BusError {
    /// Whether the peer wants a better protected link. bluetoothd does not tell Insufficient Authentication,
    /// Encryption and Encryption Key Size apart (src/gatt-client.c, create_gatt_dbus_error).
    var asksForProtection: Bool { ATTErrorCode(rawValue: attErrorCode).asksForProtection }

    /// What the error means for a request about an attribute.
    func failure(at handle: AttributeHandle) -> RemotePeer.Failure {
        if isNotConnected || !isOfDaemon { return .gatt(.closed) }
        if isGone { return .gatt(.errorResponse(.invalidHandle, handle)) }
        if isAcquired || (blueZName == "NotPermitted" && message == "Write acquired") {
            return .takenByAnotherProgram
        }
        return .gatt(.errorResponse(ATTErrorCode(rawValue: attErrorCode), handle))
    }
}
