extension Array {
    /// In an array sorted by connection handle: the position of the element with `handle`, or the position
    /// where it would be inserted.
    func position(of handle: ConnectionHandle, by key: (Element) -> ConnectionHandle) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if key(self[middle]).rawValue < handle.rawValue {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
