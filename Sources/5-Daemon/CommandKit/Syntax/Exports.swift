// A command is a table of kinds.
@_exported public import Kinds
