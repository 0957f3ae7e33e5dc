/// Why a channel did not take a value.
public enum AsyncChannelError: Error, Hashable, Sendable {
  /// The channel's completion was sent before.
  case finished
}
