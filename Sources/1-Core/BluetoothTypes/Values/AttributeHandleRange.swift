/// A starting and an ending handle, both included, as in requests. A range from the wire may be inverted or
/// start at zero, so this type can hold such ranges too.
public struct AttributeHandleRange: Hashable, Sendable {
    /// The starting handle.
    public var first: AttributeHandle
    /// The ending handle.
    public var last: AttributeHandle

    /// The handles from `first` to `last`.
    public init(_ first: AttributeHandle, _ last: AttributeHandle) {
        self.first = first
        self.last = last
    }

    /// All handles.
    public static let all = AttributeHandleRange(.first, .last)

    /// Whether a server may use the range: it does not start at zero and is not inverted.
    public var isValid: Bool { first.rawValue != 0 && first <= last }

    /// Whether a handle lies in the range.
    public func contains(_ handle: AttributeHandle) -> Bool { first <= handle && handle <= last }

    /// The part of the range after `handle`; `nil` if there is none.
    package func after(_ handle: AttributeHandle) -> AttributeHandleRange? {
        guard handle < last else { return nil }
        return AttributeHandleRange(AttributeHandle(handle.rawValue + 1), last)
    }
}
