/// A number with its noun in the right form: `1 record`, `2 records`.
package func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// The message about events that were dropped because they were not read in time.
package func droppedText(_ count: Int) -> String {
    counted(count, "event") + (count == 1 ? " was dropped" : " were dropped")
}
