import InterflowTesting

/// The sequence of a marble diagram, which begins again for each iterator when its first element is requested, and
/// records what was taken from it.
struct TracedSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let base: MarbleSequence<Element, Failure>
  let log: IterationLog

  func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: TracedSequence
    private var begun: (base: MarbleSequence<Element, Failure>.Iterator, iteration: IterationLog.Iteration)?

    init(sequence: TracedSequence) { self.sequence = sequence }

    mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      var (base, iteration) = begun ?? (sequence.base.makeAsyncIterator(), sequence.log.begin())
      do {
        let element = try await base.next(isolation: actor)
        if element == nil { iteration.end(isCancelled: Task.isCancelled) } else { iteration.takeElement() }
        begun = (base, iteration)
        return element
      } catch {
        iteration.end(isCancelled: false)
        begun = (base, iteration)
        throw error
      }
    }
  }
}

/// What was taken from a sequence, and when it had iterators.
final class IterationLog: @unchecked Sendable {  // Used on the thread that drives the timeline only.
  private let timeline: TestTimeline
  private(set) var windows: [Window] = []
  /// How many elements were taken in each window.
  private(set) var counts: [Int] = []

  init(_ timeline: TestTimeline) { self.timeline = timeline }

  private var frame: Int { Row.frame(of: timeline.now) }

  func begin() -> Iteration {
    windows.append(Window(start: frame))
    counts.append(0)
    return Iteration(log: self, index: windows.count - 1)
  }

  /// The time of an iterator, which ends with it.
  final class Iteration: @unchecked Sendable {  // As the log.
    private let log: IterationLog
    private let index: Int

    init(log: IterationLog, index: Int) {
      self.log = log
      self.index = index
    }

    func takeElement() { log.counts[index] += 1 }

    deinit { end(isCancelled: true) }

    func end(isCancelled: Bool) {
      if log.windows[index].end == nil { log.windows[index].end = (log.frame, isCancelled) }
    }
  }
}
