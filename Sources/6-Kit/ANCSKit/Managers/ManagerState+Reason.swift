extension ManagerState {
    /// Why a manager is in this state, for people, whose reason before was `former`. That the adapter was stopped is no
    /// reason beside that of a failure.
    func reason(for failure: ControllerFailure?, after former: String?) -> String? {
        if failure == .stopped, let former { return former }
        return self == .poweredOn ? nil : failure?.message ?? former
    }
}
