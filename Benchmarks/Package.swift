// swift-tools-version: 6.2
import PackageDescription

// As in the manifest of the package that is measured.
let hasSQLite = Context.environment["INTERFLOW_WITHOUT_SQLITE"] != "1"
let sqlite: [Target.Dependency] =
  hasSQLite ? ["CSQLiteReference", .product(name: "InterflowSQLite", package: "Interflow")] : []
let hasNATS = Context.environment["INTERFLOW_WITHOUT_NATS"] != "1"
let nats: [Target.Dependency] =
  hasNATS ? ["CNATSReference", .product(name: "InterflowNATS", package: "Interflow")] : []

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
        .product(name: "CombineOperators", package: "Interflow"),
        .product(name: "Interflow", package: "Interflow"),
        .product(name: "InterflowTracing", package: "Interflow"),
      ] + sqlite + nats,
      exclude: (hasSQLite ? [] : ["SQLite"]) + (hasNATS ? [] : ["NATS"]),
      swiftSettings: (hasSQLite ? [.define("INTERFLOW_SQLITE")] : []) + (hasNATS ? [.define("INTERFLOW_NATS")] : [])),
    .executableTarget(
      name: "InstructionCounts",
      dependencies: [
        "BenchmarkKit",
        .product(name: "Combine", package: "Interflow"),
        .product(name: "Interflow", package: "Interflow"),
        .product(name: "InterflowTesting", package: "Interflow"),
        .product(name: "InterflowTracing", package: "Interflow"),
      ]),
  ] + (hasSQLite ? [.systemLibrary(name: "CSQLiteReference")] : [])
    + (hasNATS ? [.systemLibrary(name: "CNATSReference")] : []),
  swiftLanguageModes: [.v6]
)
