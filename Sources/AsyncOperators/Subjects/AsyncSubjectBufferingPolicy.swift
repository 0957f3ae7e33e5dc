/// How many elements a subject buffers for a consumer that is slower than its senders, and what happens to more.
///
/// ```swift
/// let positions = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(1))
/// positions.send(1)
/// ```
///
/// With a limit of zero, an element reaches only the consumers that wait for one when it is sent.
public struct AsyncSubjectBufferingPolicy: Sendable {
  @usableFromInline let rule: BufferStateMachine.Rule
  @usableFromInline let limit: Int

  @usableFromInline
  init(_ rule: BufferStateMachine.Rule, _ limit: Int) {
    precondition(limit >= 0, "a buffer's limit must not be negative, but was \(limit)")
    self.rule = rule
    self.limit = limit
  }

  /// All elements are buffered, however many they are.
  public static var unbounded: Self { Self(.wait, .max) }

  /// The newest elements are buffered: a new one replaces the oldest if there are more than so many.
  public static func bufferingLatest(_ limit: Int) -> Self { Self(.dropOldest, limit) }

  /// The oldest elements are buffered: a new one is dropped while there are so many.
  public static func bufferingOldest(_ limit: Int) -> Self { Self(.dropNewest, limit) }
}
