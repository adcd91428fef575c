import ANCS
import Glibc
import JSONText
import LinuxIO
import Testing

@testable import ANCSService

/// What the configuration says of a broker.
@Suite("The broker in the configuration")
struct MQTTConfigurationTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func configuration(_ text: String) throws -> ServiceConfiguration {
        try ServiceConfiguration(reading: Array(text.utf8), path: folder.path + "/config.toml")
    }

    private func complaints(_ text: String) -> [String] {
        do throws(ConfigurationFaults) {
            _ = try ServiceConfiguration(
                reading: Array(text.utf8), path: folder.path + "/config.toml")
            return []
        } catch { return error.faults.map(\.message) }
    }

    private func write(
        _ name: String, _ text: String = "a password\n", mode: mode_t = 0o600
    ) -> String {
        let path = folder.path + "/" + name
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
        fchmod(file, mode)
        close(file)
        return path
    }

    @Test("every key is read, and files are relative to the configuration")
    func keys() throws {
        let password = write("mqtt-password", mode: 0o600)
        let key = write("client.key", "-----BEGIN PRIVATE KEY-----\n", mode: 0o400)
        let certificate = write(
            "client.pem", "Subject: me\n-----BEGIN CERTIFICATE-----\n", mode: 0o644)
        let section = try configuration(
            """
            [mqtt]
            host = "broker.example"
            port = 8884
            tls = true
            ca-file = "\(certificate)"
            certificate-file = "client.pem"
            key-file = "client.key"
            username = "ancs"
            password-file = "mqtt-password"
            content = "full"
            commands = true
            name = "desk_1"
            discovery = "home/assistant"
            """
        ).mqtt
        var expected = ServiceConfiguration.MQTTSection()
        (expected.host, expected.port, expected.tls) = ("broker.example", 8884, .on)
        (expected.authorities, expected.certificate) = (certificate, certificate)
        (expected.key, expected.username, expected.passwordFile) = (key, "ancs", password)
        (expected.content, expected.commands) = (.full, true)
        (expected.name, expected.discovery) = ("desk_1", "home/assistant")
        #expect(section == expected)
        #expect(try SecretFile.line(of: password) == "a password")
    }

    @Test(
        "a connection that leaves this machine uses TLS unless the configuration disables it",
        arguments: [
            ("localhost", "", false, 1883), ("127.0.0.1", "", false, 1883),
            ("::1", "", false, 1883),
            ("127.example.org", "", true, 8883), ("192.168.1.2", "", true, 8883),
            ("homeassistant.local", "tls = false", false, 1883),
            ("localhost", "tls = true", true, 8883),
            ("localhost", "tls = \"auto\"\nport = 1234", false, 1234),
        ])
    func security(_ host: String, _ line: String, _ isSecure: Bool, _ port: Int) throws {
        let section = try configuration("[mqtt]\nhost = \"\(host)\"\n\(line)").mqtt
        #expect(section.isSecure == isSecure)
        #expect(Int(section.usedPort) == port)
    }

    @Test("a secret file that others may read, or that is missing, is a fault")
    func secrets() {
        _ = write("open", mode: 0o640)
        let open = complaints("[mqtt]\npassword-file = \"open\"")
        #expect(open.count == 1)
        #expect(open.first?.contains("can be used by others (mode 640)") == true)
        #expect(open.first?.contains("a password") == false)
        let missing = complaints("[mqtt]\nkey-file = \"none\"")
        #expect(missing.first?.hasPrefix("\(folder.path)/none does not exist") == true)
        let certificate = complaints("[mqtt]\nca-file = \"none\"")
        #expect(certificate.first == "\(folder.path)/none: No such file or directory")
        for key in ["ca-file", "certificate-file", "key-file"] {
            let path = write("text", mode: 0o600)
            #expect(
                complaints("[mqtt]\n\(key) = \"text\"").first
                    == "\(path) is not in PEM: no line in it begins with -----BEGIN")
        }
    }

    @Test(
        "a password is the only line of its file",
        arguments: [
            ("a password", "a password"), ("a password\n", "a password"),
            ("a password\r\n", "a password"), ("one\ntwo", nil), ("one\n\n", nil), ("\none", nil),
            ("", nil), ("\n", nil),
        ])
    func passwordLine(_ text: String, _ password: String?) throws {
        let path = write("mqtt-password", text)
        #expect((try? SecretFile.line(of: path)) == password)
        let complaint = complaints("[mqtt]\npassword-file = \"mqtt-password\"").first
        #expect((complaint == nil) == (password != nil))
        let reason = text.isEmpty || text == "\n" ? "is empty" : "more than one line"
        #expect(complaint?.contains(reason) != false)
        #expect(complaint?.contains("two") != true)
    }

    @Test("a secret file that is too long is a fault")
    func longSecret() {
        let path = write("client.key", String(repeating: "x", count: 65_537))
        #expect(
            complaints("[mqtt]\nkey-file = \"client.key\"").first?.hasPrefix(
                "\(path) is longer than 64 KiB") == true)
    }

    @Test(
        "a name that is invalid in a topic is a fault",
        arguments: [
            "name = \"a/b\"", "name = \"+\"", "name = \"#\"", "name = \"é\"",
            "discovery = \"a//b\"", "discovery = \"/a\"", "discovery = \"$SYS\"", "tls = \"maybe\"",
            "port = 65536", "content = \"all\"",
        ])
    func faults(_ line: String) {
        #expect(complaints("[mqtt]\n\(line)").count == 1)
    }

    @Test(
        "a host name becomes a level of a topic",
        arguments: [
            ("desk.example.org", "desk"), ("Ada's Mac", "ada-s-mac"), ("", "ancs"), ("+/#", "---"),
            (".x", "ancs"),
        ])
    func hostNames(_ name: String, _ level: String) {
        let setting = MQTTSetting(.init(), name: "Desk", hostName: name, version: "1")
        #expect(setting.host == level)
    }

    @Test("rules say how much of a record is published")
    func rules() throws {
        let texts = ["false", "\"full\"", "\"app\"", "\"none\""]
        let expected: [RuleVerdict.Publication] = [
            .none, .content(.full), .content(.app), .content(.none),
        ]
        for (text, publication) in zip(texts, expected) {
            let rules = try configuration("[[rule]]\ndo = [{ mqtt = \(text) }]").rules
            #expect(rules.first?.effects.publication == publication)
        }
        for text in ["true", "\"all\"", "1", "[]"] {
            #expect(complaints("[[rule]]\ndo = [{ mqtt = \(text) }]").count == 1)
        }
        #expect(complaints("[[rule]]\ndo = [\"mute\", { mqtt = \"full\" }]").count == 1)
        #expect(complaints("[[rule]]\ndo = [{ mqtt = false, more = 1 }]").count == 1)
    }

    @Test("a later rule takes precedence, and muted notifications are not published")
    func merging() throws {
        let rules = try configuration(
            """
            [[rule]]
            match = { category = "social" }
            do = [{ mqtt = false }]
            continue = true
            [[rule]]
            match = { app = "com.apple.*" }
            do = [{ mqtt = "full" }]
            continue = true
            [[rule]]
            match = { title = 'canary' }
            do = ["mute"]
            """
        ).rules
        func verdict(app: String, title: String) -> RuleVerdict {
            let record = SampleRecord.make(
                attributes: SampleRecord.attributes(app: app, title: title))
            let subject = RuleSubject(
                record, .everything, at: LocalTime(at: record.time), RecentRecords())
            return RuleSet(rules).evaluate(subject).verdict
        }
        #expect(verdict(app: "a.b", title: "x").publication == RuleVerdict.Publication.none)
        #expect(verdict(app: "com.apple.x", title: "x").publication == .content(.full))
        let muted = verdict(app: "com.apple.x", title: "canary")
        #expect(muted.isMuted)
        #expect(muted.publication == nil)
    }

    @Test("a damaged memory is ignored")
    func memory() throws {
        let texts = [
            "{}", "[]", #"{"host":"a","discovery":"b","phones":[],"leftovers":{}}"#,
            #"{"host":"a","discovery":"b","phones":{},"leftovers":[]}"#,
        ]
        for text in texts { #expect(MQTTMemory(json: try JSONValue(parsing: text)) == nil) }
        let odd =
            #"{"host":"a","discovery":"b","phones":[1,{"digest":"a/b"},{"digest":""}],"leftovers":[2]}"#
        let memory = try #require(MQTTMemory(json: try JSONValue(parsing: odd)))
        #expect(memory.phones.isEmpty)
        #expect(memory.leftovers.isEmpty)
    }
}
