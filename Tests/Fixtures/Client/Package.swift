// swift-tools-version: 6.2
import PackageDescription

// One manifest for every host: no condition on the platform, here or on a dependency.
let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Interflow", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "CombineClient",
      dependencies: [.product(name: "Combine", package: "Interflow")]),
    .executableTarget(
      name: "AppClient",
      dependencies: [.product(name: "Combine", package: "Interflow")]),
    .executableTarget(
      name: "RunLoopClient",
      dependencies: [.product(name: "Combine", package: "Interflow")]),
    .target(name: "OtherOperators"),
    .executableTarget(
      name: "InterflowClient",
      dependencies: ["OtherOperators", .product(name: "Interflow", package: "Interflow")]),
  ],
  swiftLanguageModes: [.v6]
)
