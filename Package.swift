// swift-tools-version: 6.2
import PackageDescription

// Apple's hosts have a Combine of their own. There the product `Combine` holds a target that only re-exports the
// system's, so that one client manifest serves every host. Cross-compiling from such a host to a platform without
// Combine is the one case the manifest cannot see; the environment variable says so.
#if os(macOS)
  let buildsCombine = Context.environment["INTERFLOW_BUILD_COMBINE"] == "1"
#else
  let buildsCombine = true
#endif

// What is compiled of the adapters for types of Foundation. Networking brings the others along here rather than by
// `enabledTraits`: SwiftPM 6.3 passes a package's traits to the compiler in an order that it draws again each time it
// plans a build, so a second trait that is on by default would now and then build the whole package again.
let adapters: [SwiftSetting] = [
  .define("INTERFLOW_FOUNDATION", .when(traits: ["Foundation", "FoundationNetworking"])),
  .define("INTERFLOW_FOUNDATION_NETWORKING", .when(traits: ["FoundationNetworking"])),
]

let combine: [Target] =
  buildsCombine
  ? [
    .target(name: "Combine", dependencies: ["InterflowPrimitives"], swiftSettings: adapters),
    .testTarget(
      name: "CombineTests",
      dependencies: ["Combine", "InterflowPrimitives", "InterflowTestSupport", "InterflowTesting"],
      swiftSettings: adapters),
  ]
  : [.target(name: "SystemCombine")]

let combineTarget = buildsCombine ? "Combine" : "SystemCombine"

// A machine without SQLite's header builds and tests the rest; `make` sets the variable there. A client that does not
// use the product needs neither.
let buildsSQLite = Context.environment["INTERFLOW_WITHOUT_SQLITE"] != "1"

// What needs SQLite of the example `FileIndex` and of the snippets is in folders of the name Storage.
let storage: [SwiftSetting] = buildsSQLite ? [.define("INTERFLOW_SQLITE")] : []

let sqlite: [Target] =
  buildsSQLite
  ? [
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "InterflowSQLite",
      dependencies: ["CSQLite", .target(name: combineTarget), "Interflow", "InterflowPrimitives"],
      swiftSettings: adapters),
    .testTarget(
      name: "InterflowSQLiteTests",
      dependencies: ["CSQLite", "DatabaseWriter", "InterflowSQLite", "InterflowTesting", "InterflowTestSupport"],
      exclude: ["Writer"], swiftSettings: adapters),
    // A process that the tests run. No product has it.
    .executableTarget(
      name: "DatabaseWriter", dependencies: ["InterflowSQLite"], path: "Tests/InterflowSQLiteTests/Writer"),
  ] : []

// The same for NATS's C library.
let buildsNATS = Context.environment["INTERFLOW_WITHOUT_NATS"] != "1"

let nats: [Target] =
  buildsNATS
  ? [
    .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .target(
      name: "InterflowNATS",
      dependencies: ["CNATS", .target(name: combineTarget), "Interflow", "InterflowPrimitives"]),
    .testTarget(
      name: "InterflowNATSTests",
      dependencies: [
        "CNATS", "InterflowNATS", "InterflowPrimitives", "InterflowTestSupport", "InterflowTesting", "NATSProcess",
      ],
      exclude: ["Process"]),
    // A process that the tests run. No product has it.
    .executableTarget(name: "NATSProcess", dependencies: ["InterflowNATS"], path: "Tests/InterflowNATSTests/Process"),
    .executableTarget(
      name: "FileIndexCluster", dependencies: ["FileIndexCore", "InterflowNATS", "InterflowTracing"],
      path: "Examples/FileIndexCluster"),
    .testTarget(name: "FileIndexClusterTests", dependencies: ["FileIndexCluster"]),
  ] : []

let package = Package(
  name: "Interflow",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2), .macCatalyst(.v18)],
  products: [
    .library(name: "Combine", targets: [combineTarget]),
    .library(name: "AsyncOperators", targets: ["AsyncOperators"]),
    .library(name: "CombineOperators", targets: ["CombineOperators"]),
    .library(name: "Interflow", targets: ["Interflow"]),
    .library(name: "InterflowTesting", targets: ["InterflowTesting"]),
    .library(name: "InterflowTracing", targets: ["InterflowTracing"]),
    .executable(name: "file-index", targets: ["FileIndex"]),
  ] + (buildsSQLite ? [.library(name: "InterflowSQLite", targets: ["InterflowSQLite"])] : [])
    + (buildsNATS
      ? [
        .library(name: "InterflowNATS", targets: ["InterflowNATS"]),
        .executable(name: "file-index-cluster", targets: ["FileIndexCluster"]),
      ] : []),
  traits: [
    .default(enabledTraits: ["FoundationNetworking"]),
    .trait(
      name: "Foundation",
      description: "Adapters for Foundation: timers, notifications, OperationQueue, RunLoop, coders, bytes of files."),
    .trait(
      name: "FoundationNetworking",
      description:
        """
        The adapters for Foundation and for URLSession, and FoundationNetworking re-exported so that `import Foundation` \
        finds it.
        """),
  ],
  targets: [
    // What Swift cannot call, or cannot know.
    .target(name: "CInterflowPrimitives"),
    .target(name: "InterflowPrimitives", dependencies: ["CInterflowPrimitives"]),
    .testTarget(name: "InterflowPrimitivesTests", dependencies: ["InterflowPrimitives", "InterflowTestSupport"]),
    .target(name: "AsyncOperators", dependencies: ["InterflowPrimitives"]),
    .testTarget(
      name: "AsyncOperatorsTests",
      dependencies: ["AsyncOperators", "CombineOperators", "InterflowTesting", "InterflowTestSupport"]),
    .target(name: "CombineOperators", dependencies: [.target(name: combineTarget), "InterflowPrimitives"]),
    .testTarget(
      name: "CombineOperatorsTests", dependencies: ["CombineOperators", "InterflowTesting", "InterflowTestSupport"]),
    .target(
      name: "Interflow", dependencies: [.target(name: combineTarget), "InterflowPrimitives"],
      swiftSettings: adapters),
    .testTarget(
      name: "InterflowTests",
      dependencies: ["Interflow", "AsyncOperators", "InterflowTesting", "InterflowTestSupport"],
      swiftSettings: adapters),
    .testTarget(
      name: "ArticlesTests",
      dependencies: [
        .target(name: combineTarget), "AsyncOperators", "Interflow", "InterflowTesting", "InterflowTestSupport",
      ]),
    .testTarget(name: "StressTests", dependencies: ["Interflow", "DayInAMinute", "InterflowTestSupport"]),
    .target(
      name: "InterflowTesting", dependencies: [.target(name: combineTarget), "Interflow", "InterflowPrimitives"]),
    .target(
      name: "InterflowTracing",
      dependencies: ["CInterflowPrimitives", .target(name: combineTarget), "Interflow", "InterflowPrimitives"]),
    .testTarget(
      name: "InterflowTracingTests",
      dependencies: ["InterflowTracing", "InterflowTesting", "InterflowTestSupport"]),
    // What tests of several targets share. No product has it.
    .target(
      name: "InterflowTestSupport",
      dependencies: [.target(name: combineTarget), "InterflowPrimitives", "InterflowTesting"], path: "Tests/Support"),
    .testTarget(name: "InterflowTestingTests", dependencies: ["InterflowTesting", "InterflowTestSupport"]),
    .testTarget(name: "ModelCheckingTests", dependencies: ["CombineOperators", "InterflowTesting"]),
    .testTarget(
      name: "KnownSnippetsTests", dependencies: ["Interflow"] + (buildsSQLite ? ["InterflowSQLite"] : []),
      exclude: buildsSQLite ? [] : ["Storage"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "FileIndexCore",
      dependencies: ["AsyncOperators", "Interflow", "InterflowTracing"] + (buildsSQLite ? ["InterflowSQLite"] : []),
      path: "Examples/FileIndexCore", exclude: buildsSQLite ? [] : ["Storage"], swiftSettings: storage),
    .executableTarget(name: "FileIndex", dependencies: ["FileIndexCore"], path: "Examples/FileIndex"),
    .testTarget(
      name: "FileIndexTests", dependencies: ["FileIndexCore"] + (buildsSQLite ? ["CSQLite", "InterflowSQLite"] : []),
      exclude: buildsSQLite ? [] : ["Storage"], swiftSettings: storage),
    .executableTarget(name: "DayInAMinute", dependencies: ["Interflow"], path: "Examples/DayInAMinute"),
    .executableTarget(
      name: "DrawDiagrams",
      dependencies: [
        .target(name: combineTarget), "AsyncOperators", "CombineOperators", "Interflow", "InterflowTesting",
      ],
      path: "tools/diagrams", exclude: ["pages.txt"]),
    .testTarget(name: "DrawDiagramsTests", dependencies: ["DrawDiagrams"]),
  ] + combine + sqlite + nats,
  swiftLanguageModes: [.v6]
)
