extension Array {
    /// In an array that is ordered by connection handle: the position of the first element that does
    /// not come before `handle`. Where there is one for the connection, it is there; where there is
    /// none, it belongs there.
    func position(
        of handle: ConnectionHandle, by key: (Element) -> ConnectionHandle
    ) -> Int {
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
