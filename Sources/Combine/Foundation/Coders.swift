#if INTERFLOW_FOUNDATION
  public import Foundation

  extension JSONEncoder: TopLevelEncoder {
    /// The type that values are encoded to.
    public typealias Output = Data
  }

  extension JSONDecoder: TopLevelDecoder {
    /// The type that values are decoded from.
    public typealias Input = Data
  }

  extension PropertyListEncoder: TopLevelEncoder {
    /// The type that values are encoded to.
    public typealias Output = Data
  }

  extension PropertyListDecoder: TopLevelDecoder {
    /// The type that values are decoded from.
    public typealias Input = Data
  }
#endif
