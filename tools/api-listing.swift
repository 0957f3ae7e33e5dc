// Reads the symbol graphs of a module, and prints its public API, one line for each symbol and each conformance:
//
//   api-listing GRAPHS MODULE
//
// With a list of what there must be, prints what is missing instead, and fails if anything is:
//
//   api-listing GRAPHS MODULE --required LIST
import Foundation

struct Graph: Decodable {
  var symbols: [Symbol]
  var relationships: [Relationship]
}

struct Symbol: Decodable {
  struct Identifier: Decodable {
    var precise: String
  }

  struct Kind: Decodable {
    var identifier: String
  }

  struct Fragment: Decodable {
    var spelling: String
  }

  struct Extension: Decodable {
    var constraints: [Constraint]?
  }

  var identifier: Identifier
  var kind: Kind
  var pathComponents: [String]
  var accessLevel: String
  var declarationFragments: [Fragment]?
  var swiftExtension: Extension?

  var path: String { pathComponents.joined(separator: ".") }
  var kindName: String { kind.identifier.replacingOccurrences(of: "swift.", with: "") }

  var declaration: String {
    let text = (declarationFragments ?? []).map(\.spelling).joined()
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Whether this is written in the module, and not a member that a type has from a protocol's extension.
  var isWritten: Bool {
    (accessLevel == "public" || accessLevel == "open") && !identifier.precise.contains("::SYNTHESIZED::")
  }
}

struct Constraint: Decodable {
  var kind: String
  var lhs: String
  var rhs: String

  var text: String { "\(lhs) \(kind == "sameType" ? "==" : ":") \(rhs)" }
}

struct Relationship: Decodable {
  var kind: String
  var source: String
  var target: String
  var targetFallback: String?
  var swiftConstraints: [Constraint]?
}

/// What types are without saying so.
let implied: Set = ["Copyable", "Escapable", "SendableMetatype"]

func suffix(_ constraints: [Constraint]?) -> String {
  let stated = (constraints ?? []).filter { !implied.contains($0.rhs) }
  return stated.isEmpty ? "" : " [where \(stated.map(\.text).sorted().joined(separator: ", "))]"
}

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("api-listing: \(message)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments
guard
  arguments.count == 3
    || [5, 7].contains(arguments.count) && arguments[3] == "--required"
      && (arguments.count == 5 || arguments[5] == "--used")
else {
  fail("usage: api-listing GRAPHS MODULE [--required LIST [--used USES]]")
}
let (folder, module) = (URL(fileURLWithPath: arguments[1]), arguments[2])

// `Module.symbols.json`, and `Module@Other.symbols.json` for what it adds to the types of another.
let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
  $0.hasSuffix(".symbols.json") && ($0.hasPrefix("\(module).") || $0.hasPrefix("\(module)@"))
}
guard !names.isEmpty else { fail("there are no symbol graphs of \(module) in \(folder.path)") }
let graphs = try names.map {
  try JSONDecoder().decode(Graph.self, from: Data(contentsOf: folder.appendingPathComponent($0)))
}
let symbols = graphs.flatMap(\.symbols).filter(\.isWritten)

if arguments.count >= 5 {
  var required: [String: Int] = [:]
  for line in try String(contentsOfFile: arguments[4], encoding: .utf8).split(separator: "\n") {
    if line.hasPrefix("#") { continue }
    let columns = line.split(separator: "\t").map(String.init)
    guard columns.count == 2, let count = Int(columns[1]) else { fail("not a line of a list: \(line)") }
    required[columns[0]] = count
  }
  if arguments.count == 5 { reportMissing(required) } else { try reportUses(beyond: required, arguments[6]) }
}

/// Prints what is required and not there, and ends.
func reportMissing(_ required: [String: Int]) -> Never {
  let overloads = Dictionary(grouping: symbols, by: \.path).mapValues { Set($0.map(\.identifier.precise)).count }
  let missing = required.filter { overloads[$0.key, default: 0] < $0.value }
  for (path, count) in missing.sorted(by: { $0.key < $1.key }) {
    print("missing: \(path)" + (count > 1 ? " (\(overloads[path, default: 0]) of \(count) overloads)" : ""))
  }
  print("\(module) has \(required.count - missing.count) of \(required.count) required symbols")
  exit(missing.isEmpty ? 0 : 1)
}

/// The identifier of the property or the subscript that an accessor with this identifier belongs to.
func property(of accessor: String) -> String? {
  let isStatic = accessor.hasSuffix("Z")
  let instance = isStatic ? accessor.dropLast() : accessor[...]
  guard ["vg", "vs", "vM", "vr", "ig", "is", "iM", "ir"].contains(where: instance.hasSuffix) else { return nil }
  return instance.dropLast() + "p" + (isStatic ? "Z" : "")
}

/// Prints the uses of what the module has beyond what is required of it, and ends.
///
/// - Parameter file: Lines of a symbol's identifier, a tab, and a place.
func reportUses(beyond required: [String: Int], _ file: String) throws -> Never {
  let paths = Dictionary(symbols.map { ($0.identifier.precise, $0.path) }) { first, _ in first }
  var (used, foreign): (Set<String>, Set<String>) = ([], [])
  for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
    let columns = line.split(separator: "\t").map(String.init)
    guard columns.count == 2 else { fail("not a line of uses: \(line)") }
    guard let path = paths[columns[0]] ?? property(of: columns[0]).flatMap({ paths[$0] }) else { continue }
    if required[path] != nil {
      used.insert(path)
    } else {
      foreign.insert("\(columns[1]): uses \(path), which is not required of \(module)")
    }
  }
  guard !used.isEmpty else { fail("no use of \(module) in \(file)") }
  for line in foreign.sorted() { print(line) }
  if foreign.isEmpty { print("\(used.count) symbols of \(module) are used, all of them required") }
  exit(foreign.isEmpty ? 0 : 1)
}

let relationships = graphs.flatMap(\.relationships)
let byIdentifier = Dictionary(symbols.map { ($0.identifier.precise, $0) }) { first, _ in first }
var paths = byIdentifier.mapValues(\.path)
for relationship in relationships where relationship.kind == "memberOf" && paths[relationship.target] == nil {
  // The type belongs to another module, and only what this one adds to it tells its name.
  guard let member = byIdentifier[relationship.source] else { continue }
  paths[relationship.target] = member.pathComponents.dropLast().joined(separator: ".")
}
var lines = Set(
  symbols.map {
    [$0.path, $0.kindName, $0.declaration + suffix($0.swiftExtension?.constraints)].joined(separator: "\t")
  })
for relationship in relationships where relationship.kind == "conformsTo" {
  guard let target = paths[relationship.target] ?? relationship.targetFallback else { continue }
  let name = target.replacingOccurrences(of: "Swift.", with: "")
  if implied.contains(name) { continue }
  guard let source = paths[relationship.source] else { continue }
  lines.insert("\(source)\tconformance\t\(name)\(suffix(relationship.swiftConstraints))")
}
print(lines.map { "\(module)\t\($0)" }.sorted().joined(separator: "\n"))
