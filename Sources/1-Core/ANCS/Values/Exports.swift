// Text of a phone, which was declared here before.
@_exported public import enum Octets.UTF8Text
