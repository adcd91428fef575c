/// A number and what it counts: `1 record`, `2 records`.
func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// What is said of events that a reader was too slow for.
func droppedText(_ count: Int) -> String {
    counted(count, "event") + (count == 1 ? " was dropped" : " were dropped")
}
