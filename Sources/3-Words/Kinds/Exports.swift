// A kind is read from JSON and from a line, and printed.
@_exported public import Printing
