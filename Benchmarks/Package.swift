// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what is measured is what a user's program gets: the public API, from another module.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "interflow-benchmarks", targets: ["InterflowBenchmarks"]),
    .executable(name: "instruction-counts", targets: ["InstructionCounts"]),
  ],
  dependencies: [.package(name: "Interflow", path: "..")],
  targets: [
    .target(name: "CProcessMemory"),
    .target(name: "BenchmarkKit", dependencies: ["CProcessMemory"]),
    .testTarget(name: "BenchmarkKitTests", dependencies: ["BenchmarkKit"]),
    .executableTarget(
      name: "InterflowBenchmarks",
      dependencies: [
        "BenchmarkKit",
        .product(name: "AsyncOperators", package: "Interflow"),
        .product(name: "Combine", package: "Interflow"),
        .product(name: "Interflow", package: "Interflow"),
      ]),
    .executableTarget(
      name: "InstructionCounts",
      dependencies: [
        "BenchmarkKit",
        .product(name: "Combine", package: "Interflow"),
        .product(name: "Interflow", package: "Interflow"),
        .product(name: "InterflowTesting", package: "Interflow"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
