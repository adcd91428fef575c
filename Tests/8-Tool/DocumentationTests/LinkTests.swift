import Foundation
import Testing

@Suite("The links of the documentation")
struct LinkTests {
    @Test("they lead to files, and to headings, that exist", arguments: Page.linking)
    func links(of page: Page) throws {
        let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
        for link in try page.links() {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false).map(
                String.init)
            let target = parts[0].isEmpty ? page.path : Self.path(parts[0], from: folder)
            #expect(Repository.exists(target), "\(page.path) links to \(link)")
            guard parts.count == 2, target.hasSuffix(".md") else { continue }
            let anchors = try Page(path: target).anchors()
            #expect(anchors.contains(parts[1]), "\(page.path) links to \(link)")
        }
    }

    /// A path that begins in a folder of the project, as one that begins in the project.
    private static func path(_ link: String, from folder: String) -> String {
        var parts = folder.split(separator: "/").map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { parts = Array(parts.dropLast()) } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    @Test("every page can be reached from the README")
    func everyPageIsReached() throws {
        var reached: Set<Page> = []
        var waiting = [Page(path: "README.md")]
        while let page = waiting.popLast() {
            guard reached.insert(page).inserted else { continue }
            let folder = page.path.split(separator: "/").dropLast().joined(separator: "/")
            waiting +=
                try page.links().compactMap { $0.split(separator: "#").first }
                .map { Page(path: Self.path(String($0), from: folder)) }
                .filter { $0.path.hasSuffix(".md") && Repository.exists($0.path) }
        }
        for page in Page.all where try !page.hasMoved {
            #expect(reached.contains(page), "\(page.path)")
        }
    }

    @Test(
        "every page that sources, scripts and tests mention exists",
        arguments: [
            "Sources", "Tests", "Simulation", "Fuzz", "Benchmarks", "Examples", "Scripts",
            "Scenarios", "Packaging",
        ])
    func mentions(in folder: String) throws {
        let endings = [".swift", ".py", ".sh", ".json", ".c", ".h", ".md", ".toml", ".service"]
        for path in Repository.files(under: folder, endings) {
            for match in try Repository.text(of: path)
                .matches(of: #/Documentation/[A-Za-z0-9_./-]+\.(md|json|xml|svg)/#)
            { #expect(Repository.exists(String(match.0)), "\(path) names \(match.0)") }
        }
    }
}
