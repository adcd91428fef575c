// A line has members of JSON.
@_exported public import JSONText
