// Core Bluetooth gives its programs Foundation, too: many of them do not import it.
@_exported public import Foundation

/// Seconds since 2001, which Foundation on Linux has no name for.
public typealias CFAbsoluteTime = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Now, in seconds since 2001.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
