/// An asynchronous sequence that does what a marble diagram says.
///
/// ``TestTimeline/sequence(_:values:error:)`` makes one. The diagram begins when an iterator is made; an element whose
/// time has come before the call of `next()` is there at once. A diagram without an end makes a sequence that waits for
/// ever.
///
/// - Cancellation: A task that is cancelled while it waits gets `nil`.
public struct MarbleSequence<Element, Failure: Error>: AsyncSequence {
  let script: MarbleScript<Element, Failure>
  let timeline: TestTimeline

  /// Begins the diagram.
  public func makeAsyncIterator() -> Iterator {
    Iterator(steps: script.steps[...], timeline: timeline, start: timeline.now)
  }

  /// Gives the elements at their times.
  public struct Iterator: AsyncIteratorProtocol {
    private var steps: ArraySlice<MarbleScript<Element, Failure>.Step>
    private let timeline: TestTimeline
    private let start: VirtualTime
    private var isOver = false

    init(steps: ArraySlice<MarbleScript<Element, Failure>.Step>, timeline: TestTimeline, start: VirtualTime) {
      self.steps = steps
      self.timeline = timeline
      self.start = start
    }

    /// Waits for the next element's time, and returns it.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: nil)
    }

    /// Waits for the next element's time, and returns it.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      if isOver { return nil }
      do {
        if let step = steps.first {
          try await timeline.clock.sleep(until: start.advanced(by: timeline.frame.times(step.frame)))
        } else {
          try await timeline.clock.sleepForever()
        }
      } catch {
        isOver = true
        return nil
      }
      let kind = steps.removeFirst().kind
      if let value = RecordedSignal(kind, at: start).value { return value }
      isOver = true
      if case .failure(let error) = kind { throw error }
      return nil
    }
  }
}

extension MarbleSequence: Sendable where Element: Sendable {}

extension MarbleSequence: DiagramSource {
  /// What the sequence does when its iterator is made at the beginning of time.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(
      name,
      signals: script.steps.map {
        RecordedSignal($0.kind, at: VirtualTime.zero.advanced(by: timeline.frame.times($0.frame)))
      })
  }
}
