package import ANCSKit

/// The state of an app's binding.
package struct ScenarioBinding: Equatable, Sendable {
    /// Whether the app has an accessory, in range or not.
    var isBound = false
    package var isConnected = false
    /// The bound accessory, if the phone has heard of it.
    package var accessory: AccessoryID?
    /// The state in words, for a report.
    package var text = "not there"
}

extension ScenarioBinding {
    /// The state of a binding to an accessory.
    package init(_ state: AccessoryBinding.State, _ accessory: AccessoryID?) {
        text = state.text
        self.accessory = accessory
        switch state {
        case .unbound, .justUnbound, .searching: break
        case .bound, .connecting: isBound = true
        case .connected:
            isBound = true
            isConnected = true
        }
    }
}

extension AccessoryBinding.State {
    /// The state of the binding.
    package var text: String {
        switch self {
        case .unbound: "not bound"
        case .justUnbound: "not bound"
        case .bound: "bound"
        case .searching: "looking for an accessory"
        case .connecting: "waiting for its accessory"
        case .connected: "bound and connected"
        }
    }

    /// The accessory, if there is one.
    package var accessory: PeerIdentifier? {
        switch self {
        case .unbound, .justUnbound, .searching: nil
        case .bound(let identifier), .connecting(let identifier), .connected(let identifier):
            identifier
        }
    }
}
