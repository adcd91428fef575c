// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "AccessoryTest",
    dependencies: [.package(name: "swift-ancs", path: "../..")],
    targets: [
        .target(name: "Pager", dependencies: [.product(name: "ANCSKit", package: "swift-ancs")]),
        .testTarget(
            name: "PagerTests",
            dependencies: [
                "Pager", .product(name: "ANCSTestKit", package: "swift-ancs"),
                .product(name: "AccessoryConformance", package: "swift-ancs"),
            ]),
    ]
)
