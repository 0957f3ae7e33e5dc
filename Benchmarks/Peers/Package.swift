// swift-tools-version: 6.2
import PackageDescription

// The scenarios of this package over the modules of others, of which `tools/bench-peers` passes the folders.
let openCombine = Context.environment["INTERFLOW_PEER_OPENCOMBINE"]
let asyncAlgorithms = Context.environment["INTERFLOW_PEER_ASYNC_ALGORITHMS"]

var dependencies: [Package.Dependency] = []
var targets: [Target] = []
if let openCombine {
  dependencies.append(.package(name: "OpenCombine", path: openCombine))
  targets += [
    .target(
      name: "Combine",
      dependencies: [
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ], path: "Sources/CombineShim"),
    .executableTarget(name: "OpenCombineBenchmarks", dependencies: ["BenchmarkKit", "Combine"]),
  ]
}
if let asyncAlgorithms {
  dependencies.append(.package(name: "AsyncAlgorithms", path: asyncAlgorithms))
  targets += [
    .target(
      name: "AsyncOperators", dependencies: [.product(name: "AsyncAlgorithms", package: "AsyncAlgorithms")],
      path: "Sources/AsyncOperatorsShim"),
    .executableTarget(name: "AsyncAlgorithmsBenchmarks", dependencies: ["BenchmarkKit", "AsyncOperators"]),
  ]
}

let package = Package(
  name: "Peers",
  platforms: [.macOS(.v15)],
  dependencies: dependencies,
  targets: [
    .target(name: "CProcessMemory"),
    .target(name: "BenchmarkKit", dependencies: ["CProcessMemory"]),
  ] + targets,
  // Not all of the peers' types state that they are `Sendable`.
  swiftLanguageModes: [.v5]
)
