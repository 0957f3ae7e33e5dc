import Foundation

/// A path as the file system stores it: bytes, which need not be valid UTF-8.
///
/// A `String` would replace invalid bytes, and the file could not be opened by that name.
package struct EntryPath: Hashable, Sendable {
  /// The empty path: where a relative path starts.
  package static let here = EntryPath("")

  package private(set) var bytes: [UInt8]

  /// Makes a path from text, such as a command line's.
  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Makes a path from a C string.
  package init(_ cString: UnsafePointer<CChar>) {
    bytes = Array(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
  }

  /// Makes a path from bytes, none of which is zero.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The absolute path without links, which is the same however the file or folder is named; `nil` if there is none.
  package var resolved: EntryPath? {
    withCString { realpath($0, nil) }.map { resolved in
      defer { free(resolved) }
      return EntryPath(UnsafePointer(resolved))
    }
  }

  /// The path relative to a folder; `nil` if it is not below it.
  package func relative(to folder: EntryPath) -> EntryPath? {
    let prefix = folder.appending(.here).bytes
    return bytes.count > prefix.count && bytes.starts(with: prefix)
      ? EntryPath(bytes: Array(bytes.dropFirst(prefix.count))) : nil
  }

  /// The path of an entry of this folder. Appending to `here` gives the name alone.
  package func appending(_ name: EntryPath) -> EntryPath {
    if bytes.isEmpty { return name }
    var joined = self
    if joined.bytes.last != UInt8(ascii: "/") { joined.bytes.append(UInt8(ascii: "/")) }
    joined.bytes += name.bytes
    return joined
  }

  /// Calls `body` with the path as a C string.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try (bytes + [0]).withUnsafeBytes { try body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
  }

  /// The path as text; invalid UTF-8 shows as the replacement character.
  package var text: String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The text after the name's last dot, in lower case. Empty if there is none, as in `Makefile` and `.gitignore`.
  package var fileExtension: String {
    let name = bytes.suffix(from: bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
    return String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
  }
}

extension EntryPath: Comparable {
  package static func < (left: EntryPath, right: EntryPath) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension EntryPath: CustomStringConvertible {
  /// The path as text on one line: control characters, which a name may contain, are escaped.
  package var description: String {
    text.escapingControlCharacters
  }
}

extension String {
  /// The same text with every control character written as Swift would escape it.
  var escapingControlCharacters: String {
    guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
    return unicodeScalars.reduce(into: "") { escaped, scalar in
      escaped += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }
}
