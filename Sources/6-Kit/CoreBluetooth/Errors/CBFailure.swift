public import Foundation

/// What ``CBError`` and ``CBATTError`` have in common.
public protocol CBFailure: CustomNSError, Hashable {
    /// The kinds of failure.
    associatedtype Code: RawRepresentable, Hashable where Code.RawValue == Int
    /// The kind of failure.
    var code: Code { get }
    /// What else is known, as an `NSError` has it.
    var userInfo: [String: Any] { get }
}

extension CBFailure {
    /// The same as ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }

    /// Whether the numbers and the descriptions are equal.
    public static func == (one: Self, other: Self) -> Bool {
        one.errorCode == other.errorCode && one.localizedDescription == other.localizedDescription
    }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(errorCode) }

    /// Whether an error is of this kind and has this code.
    static func has(_ code: Code, _ error: any Error) -> Bool { (error as? Self)?.code == code }
}
