#if INTERFLOW_FOUNDATION
  import Foundation
#endif

/// Values with several parts, which are stored as JSON in one column.
enum JSONColumn {
  /// Equal values have equal texts: the names are sorted.
  static func text(_ value: some Encodable) throws -> String {
    #if INTERFLOW_FOUNDATION
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    #else
      throw DatabaseError.unstorable(value)
    #endif
  }

  /// What decodes the value that a text has.
  static func decoder(_ text: String) throws -> any Decoder {
    #if INTERFLOW_FOUNDATION
      return try JSONDecoder().decode(Root.self, from: Data(text.utf8)).decoder
    #else
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "JSON needs Foundation"))
    #endif
  }

  /// Keeps the decoder. That of Foundation remains valid, other than this module's own.
  private struct Root: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
  }
}
