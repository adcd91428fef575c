import BluetoothLE
import JSONText
import Testing

@Suite("Answers on the Data Source in captures")
struct AnswerStoryTests {
    @Test("an answer cut anywhere is one answer")
    func splitAnswers() throws {
        let response = LinkBuilder.response(7)
        for cut in 1..<response.count {
            var link = LinkBuilder()
            link.connect()
            link.discover()
            link.subscribe()
            link.write(LinkBuilder.command(7))
            link.answer(.writeResponse)
            link.notify(LinkBuilder.data, Array(response[..<cut]))
            link.notify(LinkBuilder.data, Array(response[cut...]))
            let answers = link.story.all("dataSource")
            #expect(answers.map { $0["complete"] } == [true], "\(cut)")
            #expect(answers.first?["stray"] == nil)
        }
    }

    @Test("answers in one value belong to their commands, and one may come before its response")
    func concatenated() {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        link.write(LinkBuilder.command(1))
        link.answer(.writeResponse)
        link.write(LinkBuilder.command(2))
        link.notify(
            LinkBuilder.data, LinkBuilder.response(1) + LinkBuilder.response(2, title: "Bob"))
        link.answer(.writeResponse)
        let answers = link.story.all("dataSource")
        #expect(answers.map { $0["uid"] } == [1, 2])
        #expect(answers.allSatisfy { $0["complete"] == true && $0["late"] == false })
        #expect(link.story.all("unanswered").isEmpty)
    }

    @Test("a late answer is called late: after ten seconds, or after that to a later command")
    func late() {
        var link = LinkBuilder()
        link.wholeSession()
        for uid in [1, 2, 3] as [UInt32] {
            link.write(LinkBuilder.command(uid))
            link.answer(.writeResponse)
        }
        link.notify(LinkBuilder.data, LinkBuilder.response(2))
        link.notify(LinkBuilder.data, LinkBuilder.response(1))
        link.capture.time += 10_000_000
        link.notify(LinkBuilder.data, LinkBuilder.response(3))
        let answers = link.story.all("dataSource").dropFirst()
        #expect(answers.map { $0["uid"] } == [2, 1, 3])
        #expect(answers.map { $0["late"] } == [false, true, true])
    }

    @Test("an answer that breaks off is shown as far as it came, and the next one is whole")
    func brokenOff() {
        var link = LinkBuilder()
        link.wholeSession()
        link.write(LinkBuilder.command(1))
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, Array(LinkBuilder.response(1).prefix(40)))
        link.fetch(2)
        let answers = link.story.all("dataSource").dropFirst()
        #expect(answers.map { $0["uid"] } == [1, 2])
        #expect(answers.map { $0["complete"] } == [false, true])
    }

    @Test("an app that has no name is reported when the next answer begins")
    func headerOnly() {
        var link = LinkBuilder()
        link.wholeSession()
        link.write(LinkBuilder.appCommand)
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, [1] + Array("com.apple.MobileSMS\0".utf8))
        link.fetch(9)
        #expect(link.text.contains { $0.contains("com.apple.MobileSMS has no name") })
        #expect(link.story.all("dataSource").count == 3)
    }

    @Test("octets that belong to no answer are marked")
    func stray() {
        var link = LinkBuilder()
        link.wholeSession()
        link.notify(LinkBuilder.data, LinkBuilder.response(99))
        let stray = link.story.all("dataSource").filter { $0["stray"] == true }
        #expect(stray.map { $0["uid"] } == [99])
        #expect(link.text.contains { $0.contains("! uid 99: ") })
    }
}
