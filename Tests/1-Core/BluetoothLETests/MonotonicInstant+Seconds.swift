import Octets

extension MonotonicInstant {
    static func seconds(_ seconds: Int64) -> Self { .zero + .seconds(seconds) }
    static func milliseconds(_ milliseconds: Int64) -> Self { .zero + .milliseconds(milliseconds) }
}
