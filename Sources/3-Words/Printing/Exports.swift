// A line has members of JSON.
@_exported public import JSONText
// The columns and the descriptors that lines are written to.
@_exported public import LinuxIO
