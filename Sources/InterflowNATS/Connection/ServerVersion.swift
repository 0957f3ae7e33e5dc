import Foundation

/// The version of a server, in the order of its parts.
struct ServerVersion: Comparable, Sendable {
  let major: Int
  let minor: Int
  let patch: Int
  /// Whether it is one that came before the version of the number.
  let isPrerelease: Bool

  init(_ major: Int, _ minor: Int, _ patch: Int, isPrerelease: Bool = false) {
    (self.major, self.minor, self.patch, self.isPrerelease) = (major, minor, patch, isPrerelease)
  }

  /// Reads a text such as `2.9.10` or `2.10.0-RC.1`.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { UInt16($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else { return nil }
    self.init(Int(major), Int(minor), Int(patch), isPrerelease: parts.count > 1)
  }

  static func < (one: ServerVersion, other: ServerVersion) -> Bool {
    let (first, second) = ((one.major, one.minor, one.patch), (other.major, other.minor, other.patch))
    return first == second ? one.isPrerelease && !other.isPrerelease : first < second
  }

  /// Reads the line with which a server introduces itself.
  ///
  /// - Parameter requiresTLS: Whether only a server that has TLS is believed: a machine in between could say anything of one
  ///   that has none.
  init?(introduction line: Data, requiresTLS: Bool) {
    struct Introduction: Decodable {
      let version: String
      let tls_required: Bool?
      let tls_available: Bool?
    }
    let start = Data("INFO ".utf8)
    guard line.starts(with: start),
      let introduction = try? JSONDecoder().decode(Introduction.self, from: line.dropFirst(start.count)),
      !requiresTLS || introduction.tls_required == true || introduction.tls_available == true
    else {
      return nil
    }
    self.init(introduction.version)
  }
}

extension ServerVersion: CustomStringConvertible {
  var description: String { "\(major).\(minor).\(patch)\(isPrerelease ? " (before its release)" : "")" }
}
