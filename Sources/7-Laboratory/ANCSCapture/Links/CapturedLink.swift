/// A link while a capture is followed: what is known so far of the attributes of its two sides.
package struct CapturedLink {
    private let follower: LinkFollower

    init(_ follower: LinkFollower) { self.follower = follower }

    /// The number of the connection.
    package var number: Int { follower.number }

    /// Where ANCS is on a side.
    package func handles(on side: CaptureEvent.Side) -> ANCSHandles? { follower.handles(of: side) }

    /// The UUID of the characteristic whose value has this handle.
    package func uuid(valueAt handle: AttributeHandle, on side: CaptureEvent.Side) -> BluetoothUUID?
    { follower.map(of: side).uuid(valueAt: handle) }

    /// Whether a Client Characteristic Configuration descriptor was found there.
    package func isConfiguration(_ handle: AttributeHandle, on side: CaptureEvent.Side) -> Bool {
        follower.map(of: side).isConfiguration(handle)
    }
}
