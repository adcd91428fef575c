// The notifications that it forwards are in its declarations.
@_exported public import ANCSReceiver
