internal import ANCSKit

/// How far an app of the phone is with its accessory.
struct ScenarioBinding: Hashable, Sendable {
    /// It has an accessory, in range or not.
    var isBound = false
    var isConnected = false
    /// Which accessory it is bound to, as far as the phone has heard of it.
    var accessory: AccessoryID?
    /// For a report.
    var words = "not there"
}

extension ScenarioBinding {
    /// The state of a binding to an accessory of the phone.
    init(_ state: AccessoryBinding.State, _ accessory: AccessoryID?) {
        words = state.words
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
