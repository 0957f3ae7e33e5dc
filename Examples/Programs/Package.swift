// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's would be: one small program for each idea.
let programs = ["Search", "Download", "Chat", "Tail", "ViewModel"]

// Interflow leaves InterflowSQLite out where its environment says so.
let needSQLite = Context.environment["INTERFLOW_WITHOUT_SQLITE"] == "1" ? [] : ["Pictures"]

// The same for InterflowNATS.
let needNATS = Context.environment["INTERFLOW_WITHOUT_NATS"] == "1" ? [] : ["Worker"]

let package = Package(
  name: "Programs",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Interflow", path: "../..")],
  targets: (programs + needSQLite + needNATS).map { name in
    let products =
      ["Combine", "Interflow", "AsyncOperators"] + (needSQLite.contains(name) ? ["InterflowSQLite"] : [])
      + (needNATS.contains(name) ? ["InterflowNATS"] : [])
    return .executableTarget(name: name, dependencies: products.map { .product(name: $0, package: "Interflow") })
  },
  swiftLanguageModes: [.v6]
)
