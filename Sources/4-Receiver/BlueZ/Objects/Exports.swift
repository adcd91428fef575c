// Calls of bluetoothd, and what phones do, are in its declarations.
@_exported public import ANCSEvents
@_exported public import DBus
