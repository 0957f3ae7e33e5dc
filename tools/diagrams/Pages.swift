import Foundation

/// The pages of the documentation on which a figure may be: `pages.txt`, which `tools/build-documentation --pages` writes.
///
/// DocC adds a part to the names of overloads that nothing but the documentation has.
struct Pages {
  /// The paths of the pages, as in `Combine/Publisher/append(_:)-1qb8d`.
  let paths: [String]

  init(_ text: String) {
    paths = text.split(separator: "\n").map(String.init)
  }

  /// The pages of a symbol.
  ///
  /// - Parameter name: The end of the path, as in `append(_:)`, of all overloads, or `append(_:)-1qb8d`, of one.
  func paths(in module: String, of name: String) -> [String] {
    let wanted = name.split(separator: "/")
    return paths.filter { path in
      let parts = path.split(separator: "/")
      guard parts[0] == module, parts.count > wanted.count else { return false }
      let end = parts.suffix(wanted.count)
      return end.dropLast() == wanted.dropLast() && (end.last == wanted.last || Self.symbol(end.last!) == wanted.last!)
    }
  }

  /// The name without what distinguishes overloads.
  static func symbol(_ name: some StringProtocol) -> String {
    guard let dash = name.lastIndex(of: "-"), dash != name.startIndex else { return String(name) }
    let rest = name[dash...].dropFirst()
    return (1...5).contains(rest.count) && rest.allSatisfy { $0.isNumber || $0.isLowercase }
      ? String(name[..<dash]) : String(name)
  }
}
