// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "CallFilter",
    dependencies: [.package(name: "swift-ancs", path: "../..")],
    targets: [
        .target(
            name: "CallFilter", dependencies: [.product(name: "ANCSKit", package: "swift-ancs")]),
        .executableTarget(name: "call-filter", dependencies: ["CallFilter"]),
        .testTarget(
            name: "CallFilterTests",
            dependencies: ["CallFilter", .product(name: "ANCSTestKit", package: "swift-ancs")]),
    ]
)
