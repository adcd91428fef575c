// Why octets cannot be decoded, and the text of a phone, are in its declarations.
@_exported public import Octets
