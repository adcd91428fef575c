// The phone that grades, and what it reports, are in its declarations.
@_exported public import ANCSKit
