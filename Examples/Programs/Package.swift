// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's would be: one small program for each idea.
let package = Package(
  name: "Programs",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Interflow", path: "../..")],
  targets: ["Search", "Download", "Chat", "Tail", "ViewModel"].map { name in
    .executableTarget(
      name: name,
      dependencies: ["Combine", "Interflow", "AsyncOperators"].map { .product(name: $0, package: "Interflow") })
  },
  swiftLanguageModes: [.v6]
)
