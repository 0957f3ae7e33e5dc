import InterflowPrimitives

/// An iteration of an asynchronous sequence on a timeline that records every element with its virtual time.
///
/// ```swift
/// let timeline = TestTimeline()
/// let iteration = RecordingIteration(of: try timeline.sequence("a-b|"), on: timeline)
/// iteration.start()
/// timeline.run()
/// #expect(iteration.signals == [.value("a", at: 0), .value("b", at: 2), .finished(at: 3)])
/// ```
///
/// The elements are requested one after the other, in a task on the timeline. Work of the sequence in tasks that do not
/// run on the timeline is not waited for.
///
/// - Thread: Use it on the thread that drives the timeline.
/// - Cancellation: Cancels with ``cancel()``; not when it is deallocated.
public final class RecordingIteration<Base: AsyncSequence> {
  private let base: Base
  private let timeline: TestTimeline
  private var task: Task<Void, Never>?
  private var isCancelled = false

  /// The elements received and the end, in order. The end that follows from ``cancel()`` is not among them.
  public private(set) var signals: [RecordedSignal<Base.Element, Base.Failure>] = []

  /// The elements received.
  public var values: [Base.Element] { signals.compactMap(\.value) }

  /// Makes an iteration that has not begun.
  ///
  /// - Parameters:
  ///   - base: The sequence.
  ///   - timeline: The timeline that it runs on.
  public init(of base: sending Base, on timeline: TestTimeline) {
    self.base = base
    self.timeline = timeline
  }

  /// Begins the iteration; it runs when time passes on the timeline. A second call has no effect.
  public func start() {
    guard task == nil, !isCancelled else { return }
    // On the timeline, which is where this object is used.
    timeline.drive {
      task = startTask {
        var iterator = self.base.makeAsyncIterator()
        do throws(Base.Failure) {
          while let element = try await iterator.next(isolation: nil) { self.record(.value(element)) }
          self.record(.finished)
        } catch {
          self.record(.failure(error))
        }
      }
    }
  }

  /// Cancels the iteration's task. An iteration that has not begun does not begin any more.
  public func cancel() {
    isCancelled = true
    task?.cancel()
  }

  private func record(_ kind: RecordedSignal<Base.Element, Base.Failure>.Kind) {
    let signal = RecordedSignal(kind, at: timeline.now)
    if isCancelled, signal.completion != nil { return }
    signals.append(signal)
  }
}

extension RecordingIteration: DiagramSource {
  /// The elements received and the end.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(name, signals: signals)
  }
}
