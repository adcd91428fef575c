/// What a link must fulfil before an attribute may be accessed. Core Vol 3, Part F, 3.2.5.
public struct AccessRequirement: Hashable, Sendable {
    /// The link must be encrypted.
    public var needsEncryption: Bool
    /// The key must have been made with protection against a man in the middle; implies encryption.
    public var needsAuthentication: Bool
    /// The key must have been made with LE Secure Connections; implies encryption.
    public var needsSecureConnections: Bool
    /// The user must allow this peer.
    public var needsAuthorization: Bool
    /// The least size of the key in octets, 7 to 16; counts only where encryption is needed.
    public var minimumKeySize: Int {
        get { Int(keySize) }
        set { keySize = UInt8(clamping: newValue) }
    }
    /// In one octet: each attribute of a table has three requirements.
    private var keySize: UInt8

    /// A requirement; without arguments there is none.
    public init(
        needsEncryption: Bool = false, needsAuthentication: Bool = false,
        needsSecureConnections: Bool = false, needsAuthorization: Bool = false,
        minimumKeySize: Int = 7
    ) {
        self.needsEncryption = needsEncryption
        self.needsAuthentication = needsAuthentication
        self.needsSecureConnections = needsSecureConnections
        self.needsAuthorization = needsAuthorization
        keySize = UInt8(clamping: minimumKeySize)
    }

    /// Anybody may.
    public static let open = AccessRequirement()
    /// Whoever is on an encrypted link may.
    public static let encrypted = AccessRequirement(needsEncryption: true)
    /// Whoever is on a link encrypted with an authenticated key may.
    public static let authenticated = AccessRequirement(needsAuthentication: true)

    /// Why a link does not fulfil this, or `nil` where it does. The order is that of Core Vol 3,
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

/// Who may read and write an attribute. Core Vol 3, Part F, 3.2.5.
public struct AttributePermissions: Hashable, Sendable {
    /// What reading needs; `nil` where the attribute cannot be read.
    public var read: AccessRequirement?
    /// What Write Requests and Prepare Write Requests need; `nil` where they are not permitted.
    public var write: AccessRequirement?
    /// What Write Commands need; `nil` where they are not permitted.
    public var writeCommand: AccessRequirement?

    /// Permissions; without arguments there is no access.
    public init(
        read: AccessRequirement? = nil, write: AccessRequirement? = nil,
        writeCommand: AccessRequirement? = nil
    ) {
        self.read = read
        self.write = write
        self.writeCommand = writeCommand
    }

    /// Anybody may read, nobody may write: what declarations have.
    public static let readOnly = AttributePermissions(read: .open)
}
