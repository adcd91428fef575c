// Why octets cannot be decoded is in its declarations.
@_exported public import Octets
