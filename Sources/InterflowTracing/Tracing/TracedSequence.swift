/// A sequence whose elements are recorded while its recorder is on.
///
/// Made by `traced(_:recorder:)`. Each iteration is a subscription of the recording. It runs on the task and the actor
/// of whoever iterates, as it would without it.
public struct TracedSequence<Base: AsyncSequence>: AsyncSequence {
  /// The kind of elements.
  public typealias Element = Base.Element
  /// The kind of error that may end the sequence.
  public typealias Failure = Base.Failure

  private let base: Base
  private let name: String
  private let recorder: TraceRecorder
  private let recorded: @Sendable (Element) -> RecordedValue

  init(
    _ base: Base, name: String, recorder: TraceRecorder, recorded: @escaping @Sendable (Element) -> RecordedValue
  ) {
    self.base = base
    self.name = name
    self.recorder = recorder
    self.recorded = recorded
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> Iterator {
    let lane = TracedLane(name, recorder)
    lane.subscribed()
    return Iterator(base: base.makeAsyncIterator(), iteration: TracedIteration(lane), recorded: recorded)
  }

  /// Iterates the sequence. Copies share one lane.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.AsyncIterator
    fileprivate let iteration: TracedIteration
    fileprivate let recorded: @Sendable (Element) -> RecordedValue

    /// The next element; nil after the last one.
    public mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

    /// The next element; nil after the last one.
    ///
    /// - Cancellation: Passes through. It is recorded when the task is cancelled while it waits here, and otherwise when it
    ///   waits here next; while the recorder is off as the wait begins, it is not.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      let lane = iteration.lane
      lane.request(.max(1))
      let result: Result<Element?, Failure>
      if lane.isOn {
        result = await withTaskCancellationHandler(
          operation: { await baseNext(isolation: actor) }, onCancel: { if lane.cancels() { lane.wasCancelled() } },
          isolation: actor)
      } else {
        result = await baseNext(isolation: actor)
      }
      switch result {
      case .success(nil): lane.finished()
      case .success(let element?):
        // Asked again: the wait may have been long.
        if lane.isOn { lane.returned(recorded(element)) }
      case .failure(let error): lane.failed(error)
      }
      return try result.get()
    }

    private mutating func baseNext(isolation actor: isolated (any Actor)?) async -> Result<Element?, Failure> {
      do throws(Failure) { return .success(try await base.next(isolation: actor)) } catch { return .failure(error) }
    }
  }
}

extension TracedSequence: Sendable where Base: Sendable {}

/// Ends the lane where the last copy of an iterator is dropped.
private final class TracedIteration: Sendable {
  let lane: TracedLane

  init(_ lane: TracedLane) {
    self.lane = lane
  }

  deinit { lane.released() }
}

extension AsyncSequence {
  /// Records iterations, requests, elements, the end and the cancellation under a name, while a recorder is on.
  ///
  /// Integers of up to 64 bits, `Double`, `Float`, `Bool`, and the first 24 bytes of a `String`, `Substring` or
  /// `Character` are recorded as they are; of elements of other types, only that there was one. Use
  /// `traced(_:recorder:render:)` for those.
  ///
  /// ```swift
  /// let subject = PassthroughSubject<Int, Never>()
  /// for await number in subject.values.traced("numbers") {
  ///   print(number)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the lane in recordings. All iterations with the same name share it.
  ///   - recorder: The recorder.
  public func traced(_ name: String, recorder: TraceRecorder = .shared) -> TracedSequence<Self> {
    TracedSequence(self, name: name, recorder: recorder, recorded: recordedForm(of: Element.self))
  }

  /// Records iterations, requests, elements, the end and the cancellation under a name, with elements as text.
  ///
  /// - Parameters:
  ///   - name: The name of the lane in recordings.
  ///   - recorder: The recorder.
  ///   - render: Called with each element before it is returned, while the recorder is on and records values. The first
  ///     24 bytes of the text are recorded.
  public func traced(
    _ name: String, recorder: TraceRecorder = .shared, render: @escaping @Sendable (Element) -> String
  ) -> TracedSequence<Self> {
    let recordsValues = recorder.recordsValues
    return TracedSequence(self, name: name, recorder: recorder) { element in
      recordsValues ? RecordedValue.text(render(element)) : RecordedValue.none
    }
  }
}
