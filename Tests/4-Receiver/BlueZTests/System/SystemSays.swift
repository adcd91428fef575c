import ANCSEvents
import BluetoothLE

@testable import ANCSKit

/// What a system says, and to which client; to all of them without one.
struct SystemSays: Equatable {
    let event: SystemEvent
    let client: ClientID?

    init(_ event: SystemEvent, _ client: ClientID? = nil) {
        self.event = event
        self.client = client
    }
}

// The words of the diagrams.
extension SystemSays {
    static func stateChanged(_ state: ManagerState, _ failure: BluetoothdFailure? = nil) -> Self {
        Self(.controller(.stateChanged(state, failure.map { .bluetoothd($0) })))
    }

    static func failed(_ failure: BluetoothdFailure) -> Self {
        Self(.controller(.failed(.controller(.bluetoothd(failure)))))
    }

    static func connected(_ client: ClientID, _ peer: PeerKey) -> Self {
        Self(.link(peer, .connected), client)
    }

    static func connectFailed(_ client: ClientID, _ peer: PeerKey, isKnown: Bool) -> Self {
        Self(.link(peer, .connectFailed(isKnown ? .timedOut(nil) : .unknownPeer)), client)
    }

    static func scanFailed(_ client: ClientID, _ message: String) -> Self {
        Self(.scan(.failed(BluetoothError(.unknown, message))), client)
    }

    static func ask(
        _ peer: PeerKey, _ question: SecurityManager.Question, request: UInt64
    ) -> Self {
        Self(.security(peer, .ask(question, request: request)))
    }

    static func linkUp(_ peer: PeerKey) -> Self { Self(.link(peer, .up(nil))) }

    static func disconnected(_ peer: PeerKey, _ reason: DisconnectReason) -> Self {
        Self(.link(peer, .down(reason)))
    }

    static func mtuChanged(_ peer: PeerKey, _ mtu: Int) -> Self {
        Self(.link(peer, .mtuChanged(mtu)))
    }

    static func hasRoom(_ peer: PeerKey) -> Self { Self(.link(peer, .hasRoom)) }

    static func servicesChanged(_ peer: PeerKey, _ range: AttributeHandleRange) -> Self {
        Self(.link(peer, .servicesChanged(range)))
    }

    static func unsubscribed(_ peer: PeerKey, _ handle: AttributeHandle) -> Self {
        Self(.link(peer, .unsubscribed(handle)))
    }

    static func value(_ peer: PeerKey, _ handle: AttributeHandle, _ value: [UInt8]) -> Self {
        Self(.value(peer, .notification(handle, value)))
    }

    static func changed(_ peer: PeerKey) -> Self { Self(.peer(peer, .changed)) }

    static func identified(
        _ peer: PeerKey, as other: PeerKey, formerly former: PeerIdentifier
    ) -> Self {
        Self(.peer(peer, .identified(PeerMerger(other: other, formerIdentifier: former))))
    }

    static func paired(_ peer: PeerKey) -> Self {
        Self(.security(peer, .paired(isBonded: true, replacesBond: false)))
    }

    static func pairingFailed(_ peer: PeerKey, _ failure: SecurityFailure) -> Self {
        Self(.security(peer, .failed(failure)))
    }

    static func withdrawn(_ peer: PeerKey) -> Self { Self(.security(peer, .withdrawn)) }
}
