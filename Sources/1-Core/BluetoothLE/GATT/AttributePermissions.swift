/// What a link must provide before an attribute may be accessed. Core Vol 3, Part F, 3.2.5.
public struct AccessRequirement: Equatable, Sendable {
    /// The link must be encrypted.
    public var needsEncryption: Bool {
        get { self[flag: 0x01] }
        set { self[flag: 0x01] = newValue }
    }
    /// The key must have been made with protection against man-in-the-middle attacks; implies encryption.
    public var needsAuthentication: Bool {
        get { self[flag: 0x02] }
        set { self[flag: 0x02] = newValue }
    }
    /// The key must have been made with LE Secure Connections; implies encryption.
    public var needsSecureConnections: Bool {
        get { self[flag: 0x04] }
        set { self[flag: 0x04] = newValue }
    }
    /// The user must have allowed this peer.
    public var needsAuthorization: Bool {
        get { self[flag: 0x08] }
        set { self[flag: 0x08] = newValue }
    }
    /// The minimum size of the key in octets, 7 to 16; only checked if encryption is required.
    public var minimumKeySize: Int {
        get { Int(octet >> 4) + 1 }
        set { octet = octet & 0x0F | UInt8(min(max(newValue, 1), 16) - 1) << 4 }
    }

    /// Flags, and the size of the key less one. One octet, because each attribute of a table has three
    /// requirements.
    private var octet: UInt8 = 0

    private subscript(flag flag: UInt8) -> Bool {
        get { octet & flag != 0 }
        set { octet = newValue ? octet | flag : octet & ~flag }
    }

    /// A requirement; without arguments, none.
    public init(
        needsEncryption: Bool = false, needsAuthentication: Bool = false,
        needsSecureConnections: Bool = false, needsAuthorization: Bool = false,
        minimumKeySize: Int = 7
    ) {
        self.needsEncryption = needsEncryption
        self.needsAuthentication = needsAuthentication
        self.needsSecureConnections = needsSecureConnections
        self.needsAuthorization = needsAuthorization
        self.minimumKeySize = minimumKeySize
    }

    /// No requirement.
    public static let open = AccessRequirement()
    /// An encrypted link.
    public static let encrypted = AccessRequirement(needsEncryption: true)
    /// A link that is encrypted with an authenticated key.
    public static let authenticated = AccessRequirement(needsAuthentication: true)

    /// Why a link does not fulfill the requirement; `nil` if it does. The checks have the order of Core Vol 3,
    /// Part C, 10.3.1: encryption and authentication, then the size of the key, then authorization.
    public func violation(by link: LinkSecurity) -> ATTErrorCode? {
        if needsEncryption || needsAuthentication || needsSecureConnections {
            guard link.isEncrypted else {
                return link.isBonded ? .insufficientEncryption : .insufficientAuthentication
            }
            if needsAuthentication && !link.isAuthenticated { return .insufficientAuthentication }
            if needsSecureConnections && !link.usesSecureConnections {
                return .insufficientAuthentication
            }
            if link.keySize < minimumKeySize { return .encryptionKeySizeTooShort }
        }
        return needsAuthorization && !link.isAuthorized ? .insufficientAuthorization : nil
    }
}

/// The protection that reading and writing an attribute require. Core Vol 3, Part F, 3.2.5.
public struct AttributePermissions: Equatable, Sendable {
    /// The requirement for reading; `nil` if the attribute cannot be read.
    public var read: AccessRequirement?
    /// The requirement for Write Requests and Prepare Write Requests; `nil` if they are not permitted.
    public var write: AccessRequirement?
    /// The requirement for Write Commands; `nil` if they are not permitted.
    public var writeCommand: AccessRequirement?

    /// Permissions; without arguments, no access.
    public init(
        read: AccessRequirement? = nil, write: AccessRequirement? = nil,
        writeCommand: AccessRequirement? = nil
    ) {
        self.read = read
        self.write = write
        self.writeCommand = writeCommand
    }

    /// Every client may read and none may write, as for declarations.
    public static let readOnly = AttributePermissions(read: .open)
}
