// What the public declarations of this module mention, so that a program needs only `import ANCSMedia`.
@_exported public import AMS
@_exported public import ANCSReceiver
