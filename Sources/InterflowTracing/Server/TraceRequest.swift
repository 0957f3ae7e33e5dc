/// A request to a trace server, as far as it matters.
struct TraceRequest: Equatable {
  enum Parsed: Equatable {
    /// More has to arrive.
    case incomplete
    case invalid
    case request(TraceRequest)
  }

  /// The most bytes of a request.
  static let limit = 16_384

  var method: String
  var path: String
  var host: String?

  /// Parses what has arrived.
  ///
  /// - Parameter known: How many bytes are known not to be a whole request: a client may send one at a time.
  static func parse(_ bytes: [UInt8], withoutEndBefore known: Int = 0) -> Parsed {
    guard let end = firstBlankLine(bytes, from: known) else { return bytes.count >= limit ? .invalid : .incomplete }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else { return .invalid }
    var hosts: [String] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return .invalid }
      if line[..<colon].lowercased() == "host" {
        hosts.append(line[line.index(after: colon)...].trimmingBlanks.lowercased())
      }
    }
    // Whoever names two hosts wants one of them to be overlooked.
    if hosts.count > 1 { return .invalid }
    return .request(TraceRequest(method: String(parts[0]), path: String(parts[1]), host: hosts.first))
  }

  private static func firstBlankLine(_ bytes: [UInt8], from known: Int) -> Int? {
    let mark: [UInt8] = [13, 10, 13, 10]
    let first = max(0, known - mark.count + 1)
    guard bytes.count - mark.count >= first else { return nil }
    return (first...(bytes.count - mark.count)).first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

/// Whether two texts are the same, in a time that does not tell how far they are.
func areSame(_ left: String, _ right: String) -> Bool {
  let (left, right) = (Array(left.utf8), Array(right.utf8))
  guard left.count == right.count else { return false }
  return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
