public import Foundation

extension JSONEncoder: TopLevelEncoder {
  /// What values are encoded to.
  public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {
  /// What values are decoded from.
  public typealias Input = Data
}

extension PropertyListEncoder: TopLevelEncoder {
  /// What values are encoded to.
  public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {
  /// What values are decoded from.
  public typealias Input = Data
}
