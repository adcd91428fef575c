import LinuxIO
import Testing

@Suite("The name of this machine, for phones")
struct HostNameTests {
    @Test(
        "it is the first part of the host name, in what fits on air",
        arguments: [
            ("desk", "desk"), ("desk.example.org", "desk"), ("Ada-s_Mac2", "Ada-s_Mac2"),
            ("a-very-long-name-of-a-machine-in-the-cellar", "a-very-long-name-of-a-machine"),
        ])
    func parts(_ full: String, _ name: String) {
        #expect(HostName.forPhones(full) == name)
        #expect(name.utf8.count <= 29)
    }

    @Test(
        "a name that says nothing, or has what no name may have, is not shown",
        arguments: [
            "", ".", "localhost", "localhost.localdomain", "(none)", "a b", "caf\u{E9}",
            "a\u{1B}[2J",
        ])
    func others(_ full: String) { #expect(HostName.forPhones(full) == "ancs") }
}
