/// An asynchronous sequence that delivers the elements of a marble diagram.
///
/// ``TestTimeline/sequence(_:values:error:)`` makes one. The diagram begins when an iterator is made. An element whose
/// time has passed when `next()` is called is returned at once. A sequence whose diagram has no end waits forever after
/// the last element.
///
/// - Cancellation: If the task is cancelled while it waits, `next()` returns `nil`.
public struct MarbleSequence<Element, Failure: Error>: AsyncSequence {
  let script: MarbleScript<Element, Failure>
  let timeline: TestTimeline

  /// Makes an iterator, for which the diagram begins now.
  public func makeAsyncIterator() -> Iterator {
    Iterator(steps: script.steps[...], timeline: timeline, start: timeline.now)
  }

  /// Returns the elements at their times.
  public struct Iterator: AsyncIteratorProtocol {
    private var steps: ArraySlice<MarbleScript<Element, Failure>.Step>
    private let timeline: TestTimeline
    private let start: VirtualTime
    private var hasEnded = false

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
      if hasEnded { return nil }
      do {
        if let step = steps.first {
          try await timeline.clock.sleep(until: start.advanced(by: timeline.frame.times(step.frame)))
        } else {
          try await timeline.clock.sleepForever()
        }
      } catch {
        hasEnded = true
        return nil
      }
      let kind = steps.removeFirst().kind
      if let value = RecordedSignal(kind, at: start).value { return value }
      hasEnded = true
      if case .failure(let error) = kind { throw error }
      return nil
    }
  }
}

extension MarbleSequence: Sendable where Element: Sendable {}

extension MarbleSequence: DiagramSource {
  /// The signals of the sequence, if its iterator is made at the start of the timeline.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(
      name,
      signals: script.steps.map {
        RecordedSignal($0.kind, at: VirtualTime.zero.advanced(by: timeline.frame.times($0.frame)))
      })
  }
}
