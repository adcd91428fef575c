import ANCSEvents
import BluetoothLE
import Octets

/// What a phone has said of its media, and what was asked of them, one request at a time.
struct WalkedMedia {
    private(set) var isLookedFor = false
    /// The characteristics; `nil` while there are no media.
    private var parts: Set<BluetoothUUID>?
    private var awaited: CompanionRequest?
    private var subscribed: Set<BluetoothUUID> = []

    var isAvailable: Bool { parts != nil }

    /// The next request, about what is there; `nil` while one is not answered.
    func request(using generator: inout some RandomNumberGenerator) -> CompanionRequest? {
        guard isLookedFor else { return .find(.media) }
        guard let parts, awaited == nil else { return nil }
        let requests: [(BluetoothUUID, CompanionRequest)] = [
            (.update, .subscribe(.update)), (.command, .subscribe(.command)),
            (.update, .write(.update, [0, 0])), (.command, .write(.command, [1])),
            (.entity, .write(.entity, [2, 2])), (.entity, .read(.entity)),
        ]
        return requests.filter { part, request in
            parts.contains(part) && !(request == .subscribe(part) && subscribed.contains(part))
        }.randomElement(using: &generator)?.1
    }

    mutating func requested(_ request: CompanionRequest) {
        guard isLookedFor else { return isLookedFor = true }
        awaited = request
    }

    /// What is wrong with an event.
    mutating func fault(of event: CompanionEvent) -> String? {
        switch event {
        case .available(let parts):
            guard isLookedFor, exchange(&self.parts, with: Set(parts)) == nil else {
                return "\(event) again"
            }
        case .unavailable:
            guard exchange(&parts, with: nil) != nil else { return "\(event) again" }
            (awaited, subscribed) = (nil, [])
        case .subscribed(let uuid, let error):
            guard exchange(&awaited, with: nil) == .subscribe(uuid) else {
                return "\(event) unasked"
            }
            if error == nil { subscribed.insert(uuid) }
        case .written(let uuid, _):
            guard case .write(uuid, _)? = exchange(&awaited, with: nil) else {
                return "\(event) unasked"
            }
        case .read(let uuid, _):
            guard exchange(&awaited, with: nil) == .read(uuid) else { return "\(event) unasked" }
        case .value(let uuid, _):
            guard subscribed.contains(uuid) else { return "\(event) too early" }
        }
        return nil
    }
}
