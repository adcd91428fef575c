internal import ANCSKit

/// The state of an app's binding.
struct ScenarioBinding: Hashable, Sendable {
    /// Whether the app has an accessory, in range or not.
    var isBound = false
    var isConnected = false
    /// The bound accessory, if the phone has heard of it.
    var accessory: AccessoryID?
    /// The state in words, for a report.
    var text = "not there"
}

extension ScenarioBinding {
    /// The state of a binding to an accessory.
    init(_ state: AccessoryBinding.State, _ accessory: AccessoryID?) {
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
