/// Puts a value behind a reference so that it can be called through `any`. Swift 6.3.1 corrupts the task in
/// an asynchronous call through `any` on a value aligned to more than 8 octets, as a 128-bit UUID is.
indirect enum Boxed<Value: Equatable & Sendable>: Equatable, Sendable {
    case box(Value)

    package var value: Value {
        get {
            switch self {
            case .box(let value): value
            }
        }
        set { self = .box(newValue) }
    }
}
