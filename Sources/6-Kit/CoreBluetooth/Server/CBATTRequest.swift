internal import ANCSKit
public import Foundation

/// A read or write of a value that the program serves.
open class CBATTRequest: NSObject {
    /// Who asks.
    public let central: CBCentral
    /// What is read or written.
    public let characteristic: CBCharacteristic
    /// Where in the value it begins. 0 for a read: the program gives the whole value.
    public let offset: Int
    /// What is written; for a read, the program sets it before it responds.
    open var value: Data?

    let request: ATTRequest

    init(_ request: ATTRequest, _ characteristic: CBCharacteristic, by central: CBCentral) {
        (self.request, self.characteristic, self.central) = (request, characteristic, central)
        (offset, value) = (request.offset, request.value.map { Data($0) })
        super.init()
    }
}
