// It makes lines of events.
@_exported public import Printing
