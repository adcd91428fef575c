// swift-tools-version: 6.3
import PackageDescription

/// Without a word about `Sendable` from each public type: the classes of Core Bluetooth say nothing about it either, and a
/// program in Swift 5 mode is warned of one that does.
let plain: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]
let strict: [SwiftSetting] = plain + [.treatWarning("ExplicitSendable", as: .error)]

/// Layers 0 and 1: no Foundation, no Glibc, no concurrency runtime, no pointers.
let core: [SwiftSetting] =
    strict + [.strictMemorySafety(), .treatWarning("EmbeddedRestrictions", as: .error)]

/// The targets of a floor, whose folders are in a folder of its name. A floor names lower floors only, which
/// `Scripts/check-imports.sh` checks; CONTRIBUTING.md has the picture of them.
func floor(_ name: String, in top: String = "Sources", _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(top)/\(name)/\(target.name)" }
    return targets
}

/// What is shipped: the tool, and the libraries that it and other packages are made of.
let house: [Target] = [
    // No I/O, no clock, no randomness: also Embedded Swift.
    floor(
        "1-Core",
        [
            .target(name: "Octets", swiftSettings: core),
            .target(name: "ANCS", dependencies: ["Octets"], swiftSettings: core),
            .target(name: "AMS", dependencies: ["Octets"], swiftSettings: core),
            .target(name: "ANCSProvider", dependencies: ["Octets", "ANCS"], swiftSettings: core),
            .target(name: "BluetoothTypes", dependencies: ["Octets"], swiftSettings: core),
            .target(
                name: "BluetoothLE", dependencies: ["Octets", "BluetoothTypes"], swiftSettings: core
            ),
            .target(
                name: "VirtualBluetooth", dependencies: ["Octets", "BluetoothLE"],
                swiftSettings: core),
        ]),
    // The loop, buses, controllers and Debian's libraries, each loaded when a function of it is first called.
    floor(
        "2-Platform",
        [
            .target(name: "CLinux"),
            // Debian's libraries, each loaded when a function of it is first called.
            .target(name: "CLazy"),
            .target(name: "COpenSSL", dependencies: ["CLazy"]),
            .target(name: "CSystemd", dependencies: ["CLazy"]),
            .target(name: "CMosquitto", dependencies: ["CLazy"]),
            .target(name: "CPCRE2", dependencies: ["CLazy"]),
            .target(name: "CSQLite", dependencies: ["CLazy"]),
            .target(name: "CZlib", dependencies: ["CLazy"]),
            // toml++, C++ headers only.
            .target(name: "CTOML"),
            .target(name: "LinuxIO", dependencies: ["Octets", "CLinux"], swiftSettings: strict),
            .target(
                name: "OpenSSLSecurity", dependencies: ["BluetoothTypes", "COpenSSL"],
                swiftSettings: strict),
            .target(
                name: "HCIMonikers", dependencies: ["BluetoothTypes", "LinuxIO"],
                swiftSettings: strict),
            .target(
                name: "HCITransports",
                dependencies: ["BluetoothTypes", "CLinux", "LinuxIO", "HCIMonikers"],
                swiftSettings: strict),
            .target(
                name: "VirtualTransports",
                dependencies: [
                    "BluetoothLE", "HCITransports", "LinuxIO", "VirtualBluetooth",
                ],
                swiftSettings: strict),
            .target(
                name: "DBus", dependencies: ["LinuxIO", "CSystemd"], swiftSettings: strict
            ),
            .target(
                name: "MQTT", dependencies: ["LinuxIO", "CMosquitto"],
                swiftSettings: strict),
        ]),
    // Text, JSON, kinds of values, lines of output.
    floor(
        "3-Words",
        [
            .target(name: "JSONText", dependencies: ["Octets"], swiftSettings: strict),
            .target(
                name: "Printing", dependencies: ["Octets", "CLinux", "JSONText", "LinuxIO"],
                swiftSettings: strict),
            .target(
                name: "Kinds", dependencies: ["BluetoothTypes", "JSONText", "Printing"],
                swiftSettings: strict),
            // Words of one-time codes and assigned numbers, likewise.
            .target(
                name: "CTables",
                exclude: [
                    "adapters.txt", "app-faces.txt", "assigned-numbers.json", "code-words.json",
                    "history.sql",
                ]),
        ]),
    // Notifications at bluetoothd, without a host of our own.
    floor(
        "4-Receiver",
        [
            .target(
                name: "ANCSEvents", dependencies: ["Octets", "ANCS", "BluetoothTypes", "LinuxIO"],
                swiftSettings: strict),
            .target(
                name: "BlueZ",
                dependencies: [
                    "Octets", "ANCS", "ANCSEvents", "BluetoothTypes", "DBus",
                ],
                swiftSettings: strict),
            .target(
                name: "ANCSReceiver",
                dependencies: [
                    "Octets", "ANCS", "ANCSEvents", "BluetoothTypes", "BlueZ", "CLinux", "DBus",
                    "JSONText", "LinuxIO", "OpenSSLSecurity",
                ],
                swiftSettings: strict),
            // The media of phones, for programs that ask for them: a product of its own.
            .target(
                name: "ANCSMedia",
                dependencies: [
                    "AMS", "ANCSEvents", "ANCSReceiver", "LinuxIO",
                ],
                swiftSettings: strict),
            // What is said of an event of a device or of a peer, for all that report one.
            .target(
                name: "EventLines",
                dependencies: [
                    "ANCS", "ANCSEvents", "ANCSReceiver", "JSONText", "Printing",
                    "Kinds",
                ],
                swiftSettings: strict),
        ]),
    // `ancs serve` and its commands. What the commands have in common is here too: this floor needs it first.
    floor(
        "5-Daemon",
        [
            .target(
                name: "ANCSService",
                dependencies: [
                    "Octets", "AMS", "ANCS", "ANCSMedia", "ANCSEvents", "ANCSReceiver", "BlueZ",
                    "CLinux",
                    "CPCRE2", "CSQLite",
                    "CSystemd", "CTables", "CTOML", "DBus", "EventLines", "JSONText", "LinuxIO",
                    "MQTT",
                    "OpenSSLSecurity", "Printing", "Kinds", "HCIMonikers",
                ],
                swiftSettings: strict),
            // What the commands have in common, and beside each other, on it, those of the laboratory and the clients of the
            // daemon: neither waits for AccessoryConformance.
            .target(
                name: "CommandKit",
                dependencies: [
                    "ANCS", "ANCSEvents", "ANCSReceiver", "ANCSService", "CLinux",
                    "EventLines", "LinuxIO", "Printing", "Kinds",
                ],
                swiftSettings: strict),
            .target(
                name: "DaemonCommands",
                dependencies: [
                    "AMS", "ANCSMedia", "ANCSReceiver", "ANCSService",
                    "CLinux", "CommandKit", "DBus", "EventLines", "LinuxIO", "Printing",
                    "Kinds",
                ],
                swiftSettings: strict),
        ]),
    // Our own host: managers, binding, consumer and provider.
    floor(
        "6-Kit",
        [
            .target(
                name: "ANCSKit",
                dependencies: [
                    "HCITransports", "Octets", "AMS", "ANCS", "ANCSProvider", "ANCSReceiver",
                    "BlueZ", "BluetoothTypes", "BluetoothLE", "DBus", "JSONText",
                    "LinuxIO", "OpenSSLSecurity", "HCIMonikers",
                ],
                swiftSettings: strict),
            // Core Bluetooth's names. Nothing of this package depends on it, because then
            // canImport(CoreBluetooth) is true in all packages that are built with it.
            .target(
                name: "CoreBluetooth",
                dependencies: ["ANCSKit", "LinuxIO"], swiftSettings: plain),
            .target(
                name: "ANCSTestKit",
                dependencies: [
                    "HCIMonikers", "HCITransports", "ANCSKit",
                    "EventLines",
                    "LinuxIO",
                    "VirtualBluetooth", "VirtualTransports",
                ],
                swiftSettings: strict),
        ]),
    // Grading and captures: what the tool shares with the tests of makers.
    floor(
        "7-Laboratory",
        [
            .target(
                name: "ANCSCapture",
                dependencies: [
                    "HCITransports", "Octets", "AMS", "ANCS", "BluetoothLE", "LinuxIO",
                    "OpenSSLSecurity",
                ],
                swiftSettings: strict),
            // Captures that can be sent.
            .target(
                name: "CaptureRedaction",
                dependencies: [
                    "ANCSCapture", "HCITransports", "ANCS", "BluetoothLE",
                    "BluetoothTypes", "LinuxIO", "OpenSSLSecurity",
                ],
                swiftSettings: strict),
            // A scenario of what the phone of a capture did.
            .target(
                name: "CaptureScenario",
                dependencies: [
                    "AMS", "ANCS", "ANCSCapture", "BluetoothLE", "JSONText", "LinuxIO",
                ],
                swiftSettings: strict),
            .target(
                name: "AccessoryConformance",
                dependencies: [
                    "HCITransports", "Octets", "ANCS",
                    "BluetoothTypes", "BluetoothLE", "ANCSKit", "CRequirements", "CScenarios",
                    "EventLines", "JSONText", "LinuxIO", "Printing", "Kinds",
                ],
                swiftSettings: strict),
            // The files of Scenarios, in the object of a C compiler.
            .target(name: "CScenarios", exclude: ["scenarios.txt", "texts.inc"]),
            // What is said of each requirement and of each verb, likewise.
            .target(name: "CRequirements", exclude: ["requirements.txt", "verbs.txt"]),
        ]),
    // `ancs`.
    floor(
        "8-Tool",
        [
            // What the commands that use a controller or an adapter have in common.
            .target(
                name: "DeviceCommandKit",
                dependencies: [
                    "ANCSEvents", "Octets", "ANCS", "ANCSReceiver", "ANCSKit", "ANCSService",
                    "BluetoothTypes", "CLinux", "CTables", "CaptureRedaction", "CommandKit",
                    "HCITransports", "JSONText", "LinuxIO", "Printing",
                ],
                swiftSettings: strict),
            .target(
                name: "LaboratoryCommands",
                dependencies: [
                    "ANCSEvents", "ANCSKit", "BluetoothTypes",
                    "BluetoothLE", "CommandKit", "DeviceCommandKit", "HCITransports", "EventLines",
                    "LinuxIO", "OpenSSLSecurity", "Printing", "Kinds",
                    "VirtualBluetooth", "VirtualTransports",
                ],
                swiftSettings: strict),
            .target(
                name: "ANCSCommands",
                dependencies: [
                    "AMS", "ANCSMedia",
                    "ANCSReceiver", "ANCSKit", "ANCSService", "AccessoryConformance",
                    "ANCSCapture", "CaptureRedaction", "CaptureScenario", "BluetoothTypes",
                    "BluetoothLE", "CLinux", "CTemplates", "CZlib", "CommandKit",
                    "DeviceCommandKit", "DBus",
                    "DaemonCommands", "HCITransports", "EventLines", "JSONText",
                    "LaboratoryCommands", "LinuxIO", "OpenSSLSecurity", "Printing", "Kinds",
                    "VirtualBluetooth", "VirtualTransports",
                ],
                swiftSettings: strict),
            // The style of reports and the completions of shells, as data.
            .target(
                name: "CTemplates",
                exclude: [
                    "completion.bash", "completion.fish", "completion.zsh", "report.css",
                ]),
            .executableTarget(
                name: "ancs", dependencies: ["ANCSCommands", "CommandKit"], swiftSettings: strict),
        ]),
].flatMap(\.self)

/// The tests of the house, and what they have in common.
let tests: [Target] = [
    [.target(name: "CHeap", path: "Benchmarks/CHeap")],
    floor(
        "1-Core", in: "Tests",
        [
            .testTarget(name: "OctetsTests", dependencies: ["Octets"], swiftSettings: strict),
            .testTarget(
                name: "AMSTests", dependencies: ["Octets", "AMS"], swiftSettings: strict),
            .testTarget(
                name: "ANCSTests", dependencies: ["Octets", "ANCS", "ANCSProvider", "JSONText"],
                resources: [.copy("Vectors")], swiftSettings: strict),
            .testTarget(
                name: "BluetoothLETests",
                dependencies: ["Octets", "BluetoothLE", "JSONText", "OpenSSLSecurity"],
                resources: [.copy("Vectors")], swiftSettings: strict),
            .testTarget(
                name: "VirtualBluetoothTests",
                dependencies: ["Octets", "BluetoothLE", "VirtualBluetooth", "OpenSSLSecurity"],
                swiftSettings: strict),
        ]),
    floor(
        "2-Platform", in: "Tests",
        [
            // The loop and the transports on it, which share what they are tested with.
            .testTarget(
                name: "LinuxIOTests",
                dependencies: [
                    "Octets", "BluetoothLE", "VirtualBluetooth", "VirtualTransports",
                    "HCITransports", "LinuxIO", "CLazy", "CLinux",
                ],
                swiftSettings: strict),
            .target(
                name: "DBusTestKit", dependencies: ["Octets", "LinuxIO", "DBus"],
                swiftSettings: strict),
            .testTarget(
                name: "DBusTests", dependencies: ["Octets", "LinuxIO", "DBus", "DBusTestKit"],
                swiftSettings: strict),
        ]),
    floor(
        "3-Words", in: "Tests",
        [
            .testTarget(
                name: "JSONTextTests", dependencies: ["Octets", "JSONText"], swiftSettings: strict)
        ]),
    floor(
        "4-Receiver", in: "Tests",
        [
            // An imitation of bluetoothd, for the tests of ANCSKit and the simulation.
            .target(
                name: "BlueZTestKit",
                dependencies: [
                    "Octets", "ANCS", "ANCSProvider", "BluetoothLE", "DBus", "DBusTestKit",
                    "LinuxIO",
                ],
                swiftSettings: strict),
            .testTarget(
                name: "BlueZTests",
                dependencies: [
                    "Octets", "ANCS", "ANCSEvents", "BluetoothTypes", "BluetoothLE", "DBus",
                    "DBusTestKit", "ANCSKit", "BlueZ", "BlueZTestKit", "LinuxIO",
                ],
                swiftSettings: strict),
        ]),
    floor(
        "5-Daemon", in: "Tests",
        [
            .testTarget(
                name: "ANCSServiceTests",
                dependencies: [
                    "HCITransports", "Octets", "AMS", "ANCS", "ANCSEvents", "ANCSMedia",
                    "ANCSReceiver", "ANCSKit", "ANCSService", "ANCSTestKit", "DBus", "DBusTestKit",
                    "EventLines", "JSONText",
                    "LinuxIO", "MQTT", "Printing", "VirtualBluetooth", "VirtualTransports",
                ],
                swiftSettings: strict)
        ]),
    floor(
        "6-Kit", in: "Tests",
        [
            .testTarget(
                name: "ANCSKitTests",
                dependencies: [
                    "HCITransports", "Octets", "AMS", "ANCSMedia", "ANCS", "ANCSEvents",
                    "ANCSReceiver", "BlueZ",
                    "BlueZTestKit", "BluetoothLE", "VirtualBluetooth",
                    "VirtualTransports", "ANCSKit", "ANCSTestKit", "CHeap", "DBus", "DBusTestKit",
                    "JSONText", "LinuxIO",
                ],
                swiftSettings: strict),
            .testTarget(
                name: "CoreBluetoothTests",
                dependencies: [
                    "ANCSKit", "ANCSReceiver", "ANCSTestKit", "BlueZ", "BlueZTestKit",
                    "BluetoothTypes", "CoreBluetooth", "DBus", "DBusTestKit", "LinuxIO", "Octets",
                ],
                resources: [.copy("symbols.txt")], swiftSettings: strict),
            .testTarget(
                name: "ANCSTestKitTests",
                dependencies: [
                    "ANCS", "AccessoryConformance", "ANCSKit", "ANCSTestKit", "BluetoothLE",
                    "LinuxIO", "VirtualBluetooth",
                ],
                swiftSettings: strict),
        ]),
    floor(
        "7-Laboratory", in: "Tests",
        [
            .testTarget(
                name: "ANCSCaptureTests",
                dependencies: [
                    "ANCSCapture", "ANCSKit", "ANCSTestKit", "HCITransports", "LinuxIO",
                ],
                swiftSettings: strict),
            .testTarget(
                name: "AccessoryConformanceTests",
                dependencies: [
                    "ANCS", "ANCSKit", "ANCSTestKit", "AccessoryConformance", "LinuxIO",
                ],
                swiftSettings: strict),
        ]),
    floor(
        "8-Tool", in: "Tests",
        [
            .testTarget(
                name: "ANCSCommandsTests",
                dependencies: [
                    "HCITransports", "Octets", "AMS", "ANCSMedia", "ANCS", "ANCSProvider",
                    "ANCSEvents", "ANCSReceiver",
                    "AccessoryConformance", "ANCSCapture", "BluetoothTypes", "BluetoothLE",
                    "CaptureRedaction", "CaptureScenario", "OpenSSLSecurity", "ANCSKit",
                    "ANCSCommands", "ANCSService",
                    "CommandKit", "DeviceCommandKit",
                    "DBus", "DBusTestKit", "DaemonCommands", "EventLines", "JSONText",
                    "LaboratoryCommands", "LinuxIO", "Printing", "Kinds", "VirtualBluetooth",
                    "VirtualTransports",
                ],
                swiftSettings: strict),
            .testTarget(
                name: "DocumentationTests",
                dependencies: [
                    "HCITransports", "Octets", "ANCS", "BluetoothLE", "VirtualBluetooth",
                    "VirtualTransports", "LinuxIO", "ANCSMedia", "ANCSKit", "ANCSTestKit",
                    "ANCSCommands",
                    "ANCSService", "AccessoryConformance", "CommandKit", "DeviceCommandKit",
                    "DaemonCommands", "EventLines", "JSONText", "LaboratoryCommands", "Printing",
                    "Kinds",
                ],
                // Settings of another project, except for warnings.
                swiftSettings: [.treatAllWarnings(as: .error)]),
        ]),
].flatMap(\.self)

/// What a fuzzer drives: replayed by tests, and by libFuzzer's program.
let fuzzed: [Target.Dependency] = [
    "Octets", "ANCS", "ANCSProvider", "BluetoothLE", "VirtualBluetooth", "AccessoryConformance",
    "ANCSCapture", "ANCSEvents", "ANCSReceiver", "ANCSKit", "ANCSCommands", "ANCSService",
    "CaptureRedaction", "CommandKit", "DeviceCommandKit", "DaemonCommands", "EventLines",
    "HCITransports", "JSONText",
    "LaboratoryCommands", "LinuxIO", "Printing", "Kinds",
]

/// What only this project's own scripts build and run.
let workshop: [Target] = [
    .executableTarget(
        name: "protocol-pipe",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "ANCSProvider", "AccessoryConformance",
            "ANCSCapture", "BluetoothLE", "ANCSKit", "ANCSService", "JSONText", "Printing",
        ],
        path: "Tests/ProtocolPipe", swiftSettings: strict),
    // An app at bluetoothd, in the guests of Tests/Kernel
    .executableTarget(
        name: "central-app", dependencies: ["ANCSKit", "LinuxIO", "Printing"],
        path: "Tests/Kernel/CentralApp", swiftSettings: strict),
    // A program for a Mac, as it is, for Tests/Interop
    .executableTarget(
        name: "heart-rate-monitor", dependencies: ["CoreBluetooth"],
        path: "Tests/Interop/HeartRate"),
    .executableTarget(
        name: "heart-rate-relay", dependencies: ["CoreBluetooth"],
        path: "Tests/Interop/HeartRateRelay", swiftSettings: [.swiftLanguageMode(.v5)]),
    // Simulation
    .executableTarget(
        name: "simulation",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "ANCSProvider", "BluetoothLE", "VirtualBluetooth",
            "VirtualTransports", "LinuxIO", "DBus", "ANCSKit", "DBusTestKit", "BlueZTestKit",
        ],
        path: "Simulation", swiftSettings: strict),
    // Benchmarks
    .target(name: "CReference", path: "Benchmarks/CReference"),
    .executableTarget(name: "floor", path: "Benchmarks/Floor"),
    .executableTarget(
        name: "codec-benchmark", dependencies: ["Octets", "ANCS", "CReference"],
        path: "Benchmarks/Codec", swiftSettings: strict),
    .executableTarget(
        name: "memory-benchmark",
        dependencies: ["Octets", "ANCS", "BluetoothLE", "ANCSKit", "CHeap"],
        path: "Benchmarks/Memory", exclude: ["own.py", "resident.py"],
        swiftSettings: strict),
    .executableTarget(
        name: "load",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "BluetoothLE", "VirtualBluetooth",
            "VirtualTransports", "ANCSKit", "LinuxIO",
        ],
        path: "Benchmarks/Load", swiftSettings: strict),
    .executableTarget(
        name: "scale-benchmark",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "BluetoothLE", "VirtualBluetooth",
            "VirtualTransports", "ANCSKit", "LinuxIO", "CHeap",
        ],
        path: "Benchmarks/Scale", swiftSettings: strict),
    .executableTarget(
        name: "call-benchmark", dependencies: ["ANCSKit", "ANCSMedia", "ANCSTestKit"],
        path: "Benchmarks/Calls", swiftSettings: strict),
    .executableTarget(
        name: "delegate-benchmark", dependencies: ["ANCSKit", "CoreBluetooth"],
        path: "Benchmarks/Delegates", exclude: ["run.sh"], swiftSettings: strict),
    .executableTarget(
        name: "central-by-hand", path: "Benchmarks/Central/ByHand",
        linkerSettings: [.linkedLibrary("systemd")]),
    .executableTarget(
        name: "central-benchmark", dependencies: ["ANCSKit", "BlueZTestKit", "DBus", "LinuxIO"],
        path: "Benchmarks/Central/Managers", swiftSettings: strict),
    .executableTarget(
        name: "fade-benchmark",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "BluetoothLE", "VirtualBluetooth",
            "VirtualTransports", "ANCSKit", "LinuxIO",
        ],
        path: "Benchmarks/Fades", swiftSettings: strict),
    .executableTarget(
        name: "broker-benchmark",
        dependencies: [
            "HCITransports", "Octets", "ANCS", "BluetoothLE", "VirtualBluetooth",
            "VirtualTransports", "ANCSKit", "ANCSService", "LinuxIO", "MQTT",
        ],
        path: "Benchmarks/Broker", exclude: ["run.sh"], swiftSettings: strict),
    // What the Embedded build compiles, and what Scripts/size.sh measures.
    .target(
        name: "EmbeddedUse",
        dependencies: ["Octets", "ANCS", "BluetoothLE", "VirtualBluetooth"],
        path: "Tests/1-Core/Embedded", swiftSettings: core),
    .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Fuzz",
        exclude: ["Fuzzer", "prepare.py"], sources: ["Targets", "Tests"],
        resources: [.copy("Seeds"), .copy("Regressions")], swiftSettings: strict),
]

/// libFuzzer's program, which links with `--sanitize fuzzer` only: `ANCS_ONLY=fuzzer`.
let fuzzer = Target.executableTarget(
    name: "fuzzer", dependencies: fuzzed, path: "Fuzz",
    exclude: ["Tests", "Seeds", "Regressions", "prepare.py"], sources: ["Targets", "Fuzzer"],
    swiftSettings: strict)

/// What this build has: without ANCS_ONLY in the environment, the house and its tests. ANCS_ONLY is `all`, for the
/// workshop too, or the names of targets, separated by commas, for these and what they depend on.
let chosen: [Target] = {
    switch Context.environment["ANCS_ONLY"] {
    case nil, "": return house + tests
    case "all": return house + tests + workshop
    case let names?:
        let known = house + tests + workshop + [fuzzer]
        var wanted: Set<String> = []
        var rest = names.split(separator: ",").map(String.init)
        while let name = rest.popLast() {
            guard wanted.insert(name).inserted else { continue }
            guard let target = known.first(where: { $0.name == name }) else {
                fatalError("ANCS_ONLY: there is no target \(name)")
            }
            for case .byNameItem(let dependency, _) in target.dependencies {
                rest.append(dependency)
            }
        }
        return known.filter { wanted.contains($0.name) }
    }
}()

let package = Package(
    name: "swift-ancs",
    products: [
        "Octets", "AMS", "ANCS", "ANCSProvider", "BluetoothTypes", "BluetoothLE", "LinuxIO",
        "HCIMonikers", "HCITransports",
        "OpenSSLSecurity", "VirtualBluetooth", "VirtualTransports",
        "ANCSEvents", "ANCSReceiver", "ANCSMedia", "ANCSKit", "ANCSTestKit", "CoreBluetooth",
        "AccessoryConformance", "ANCSCapture",
    ]
    .filter { name in chosen.contains { $0.name == name } }
    .map { .library(name: $0, targets: [$0]) },
    targets: chosen,
    cxxLanguageStandard: .cxx17
)
