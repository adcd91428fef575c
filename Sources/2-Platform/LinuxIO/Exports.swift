// Instants and spans of octets are in its declarations.
@_exported public import Octets
