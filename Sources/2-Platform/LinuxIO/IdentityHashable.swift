/// An object that equals only itself.
public protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    /// Whether both are the same object.
    public static func == (one: Self, other: Self) -> Bool { one === other }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
