/// The values that are on their way, and whether the program was told to wait until there is room again.
struct Room {
    /// How many may be on their way before the program should wait.
    static var window: Int { 16 }

    var underway = 0
    var isAwaited = false

    /// A value is through. Returns whether the program has to be told that there is room.
    mutating func isFound() -> Bool {
        underway -= 1
        guard isAwaited, underway <= Self.window / 2 else { return false }
        isAwaited = false
        return true
    }
}
