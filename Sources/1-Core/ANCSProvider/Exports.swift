// What a provider and a consumer have in common, so that a program needs only `import ANCSProvider`.
@_exported public import ANCS
