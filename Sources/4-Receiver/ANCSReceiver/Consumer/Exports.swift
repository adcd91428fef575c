// What the public declarations of this module mention, so that a program needs only `import ANCSReceiver`. The other
// modules have to be imported by programs that use them directly.
@_exported public import ANCS
@_exported public import ANCSEvents
