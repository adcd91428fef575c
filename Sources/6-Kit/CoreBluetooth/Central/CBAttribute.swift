public import Foundation

/// A service, a characteristic or a descriptor.
open class CBAttribute: NSObject {
    /// The UUID of the attribute.
    public let uuid: CBUUID

    init(_ uuid: CBUUID) {
        self.uuid = uuid
        super.init()
    }
}
