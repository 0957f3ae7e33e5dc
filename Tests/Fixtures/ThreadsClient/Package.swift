// swift-tools-version: 6.2
import PackageDescription

// Built as any program is that uses the package, with `swift build --sanitize=thread` and nothing else.
let package = Package(
  name: "ThreadsClient",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Interflow", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "ThreadsClient",
      dependencies: [
        .product(name: "AsyncOperators", package: "Interflow"),
        .product(name: "Interflow", package: "Interflow"),
      ]
        + (Context.environment["INTERFLOW_WITHOUT_SQLITE"] == "1"
          ? [] : [.product(name: "InterflowSQLite", package: "Interflow")]),
      swiftSettings: Context.environment["INTERFLOW_WITHOUT_SQLITE"] == "1" ? [] : [.define("SQLITE")])
  ],
  swiftLanguageModes: [.v6]
)
