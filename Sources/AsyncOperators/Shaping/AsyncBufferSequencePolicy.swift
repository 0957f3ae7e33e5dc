/// How many elements a buffer has room for, and what happens to more.
///
/// ```swift
/// let numbers = AsyncStream<Int> {
///   $0.yield(1); $0.finish()
/// }
/// for await number in numbers.buffer(policy: .bounded(64)) {
///   print(number)
/// }
/// ```
public struct AsyncBufferSequencePolicy: Sendable {
  @usableFromInline let rule: BufferStateMachine.Rule
  @usableFromInline let limit: Int

  init(_ rule: BufferStateMachine.Rule, _ limit: Int) {
    precondition(limit >= 0, "a buffer's limit must not be negative, but was \(limit)")
    self.rule = rule
    self.limit = limit
  }

  /// The base waits while so many elements are buffered. With a limit of zero there is no buffer: it waits for `next()`.
  public static func bounded(_ limit: Int) -> Self { Self(.wait, limit) }

  /// All elements are buffered, however many they are.
  public static var unbounded: Self { Self(.wait, .max) }

  /// The newest elements are buffered: a new one replaces the oldest if there are more than so many. With a limit of
  /// zero there is no buffer, and the base waits for `next()`.
  public static func bufferingLatest(_ limit: Int) -> Self { Self(.dropOldest, limit) }

  /// The oldest elements are buffered: a new one is dropped while there are so many. With a limit of zero there is no
  /// buffer, and the base waits for `next()`.
  public static func bufferingOldest(_ limit: Int) -> Self { Self(.dropNewest, limit) }
}
