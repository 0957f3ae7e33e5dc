/// Texts of the program that are a part of the command with which a connection begins, whose form is JSON.
///
/// The library puts them between quotation marks as they are: a quotation mark would end a text, and a line break the
/// command, so that what follows would be another one.
enum ConnectCommand {
  /// A text as the command has to contain it.
  ///
  /// - Parameter kind: What it is. The error does not contain the text, which may be secret.
  static func text(_ text: String, of kind: String) throws(NATSError) -> String {
    try check(text, of: kind)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An address, whose part before the host is sent, too.
  static func address(_ address: String) throws(NATSError) -> String {
    try check(address, of: "an address")
    guard let end = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return address }
    let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    guard start <= end else { return address }
    return address[..<start] + (try text(String(address[start..<end]), of: "an address")) + address[end...]
  }

  /// Throws where a text contains control characters. C's texts end with a zero byte.
  static func check(_ text: String, of kind: String) throws(NATSError) {
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw NATSError(
        kind: .misuse, operation: "preparing a connection", message: "\(kind) without control characters was expected")
    }
  }
}
