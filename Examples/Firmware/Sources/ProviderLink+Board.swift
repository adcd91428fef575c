import BluetoothLE

// What ProviderLink has from ANCSKit.
extension GATTProcedure {
    static let discoverGenericAttribute = discoverDatabase(service: .genericAttribute)
}

extension AttributeHandleRange {
    /// Whether both have a handle in common.
    func overlaps(_ other: Self) -> Bool { first <= other.last && other.first <= last }
}
