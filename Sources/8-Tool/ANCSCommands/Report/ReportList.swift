internal import Printing

/// A list of which a page shows as much as there is room for. Each item is written once, the most important first; those
/// that are left out are counted where they would be.
struct ReportList {
    /// What an item is.
    private let noun: String
    /// How many items there are.
    private let count: Int
    private let items: [(number: Int, markup: Markup)]

    var isEmpty: Bool { count == 0 }

    /// - Parameters:
    ///   - noun: what an item is.
    ///   - count: how many there are, numbered from 0.
    ///   - numbers: those that can be shown, the most important first.
    ///   - room: the octets that they may take.
    ///   - write: writes one.
    init(
        _ noun: String, of count: Int, _ numbers: [Int], room: Int,
        _ write: (Int, inout Markup) -> Void
    ) {
        (self.noun, self.count) = (noun, count)
        var items: [(number: Int, markup: Markup)] = []
        var left = room
        for number in numbers {
            var item = Markup(textLimit: RunSection.maximumText)
            write(number, &item)
            guard item.count <= left else {
                // One that is too long for any room does not keep the others out.
                guard items.isEmpty else { break }
                continue
            }
            left -= item.count
            items.append((number, item))
        }
        self.items = items.sorted(byNumber: { UInt64($0.number) })
    }

    /// Whether an item is shown.
    func contains(_ number: Int) -> Bool { items.contains { $0.number == number } }

    /// Writes the list; `gap` writes how many items are left out at a place.
    func write(to page: inout Markup, gap: (String, inout Markup) -> Void) {
        var next = 0
        for item in items {
            if item.number > next { gap(left(item.number - next), &page) }
            page.append(item.markup)
            next = item.number + 1
        }
        if count > next { gap(left(count - next), &page) }
    }

    private func left(_ count: Int) -> String { "⋯ \(counted(count, noun)) left out" }

    /// Writes the list as the rows of a table.
    func write(asTable kind: String, _ caption: String, _ heads: [String], to page: inout Markup) {
        page.table(kind, caption, heads) { page in
            write(to: &page) { text, page in
                page.element("tr.left") { page in
                    page.element("td", ["colspan": "\(heads.count)"], text)
                }
            }
        }
    }
}

extension Int {
    /// So many numbers from 0, those of either end first.
    var fromBothEnds: [Int] { (0..<self).map { $0 % 2 == 0 ? $0 / 2 : self - 1 - $0 / 2 } }
}
