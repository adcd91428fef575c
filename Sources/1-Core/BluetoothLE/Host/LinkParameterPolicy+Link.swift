public import BluetoothTypes

extension LinkParameterPolicy {
    /// Whether a link has what is wanted.
    public func isMet(by link: LinkDescription) -> Bool {
        isMet(by: link.interval, link.latency, link.supervisionTimeout)
    }
}
