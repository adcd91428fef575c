// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "HeartRate",
    dependencies: [.package(name: "swift-ancs", path: "../..")],
    targets: [
        .target(
            name: "HeartRate", dependencies: [.product(name: "ANCSKit", package: "swift-ancs")],
            swiftSettings: settings),
        .executableTarget(
            name: "heart-rate", dependencies: ["HeartRate"], swiftSettings: settings),
        .testTarget(
            name: "HeartRateTests",
            dependencies: ["HeartRate", .product(name: "ANCSTestKit", package: "swift-ancs")],
            swiftSettings: settings),
    ]
)
