import AsyncOperators
import Combine
import Interflow
import InterflowTesting

/// Runs operators on virtual time, and keeps a figure of each.
///
/// The code in a figure is the body of a closure, and the rows have the names of its parameters. The pages are those of
/// the symbols whose paths end as given; without the part that distinguishes overloads, those of all.
final class Gallery {
  private(set) var figures: [Figure] = []
  private let pages: Pages
  private var module = ""
  private(set) var timeline = TestTimeline()
  private var kept: [Any] = []

  init(pages: Pages) { self.pages = pages }

  /// The scheduler of the figure that is being drawn.
  var scheduler: TestScheduler { timeline.scheduler }
  /// The clock of the figure that is being drawn.
  var clock: TestClock { timeline.clock }

  /// Says which module the figures that follow are about.
  func begin(_ module: String) { self.module = module }

  /// Draws a publisher.
  ///
  /// - Parameters:
  ///   - name: The name of the figure.
  ///   - pages: The symbols whose pages show it.
  ///   - inputs: What the closure gets.
  ///   - frames: When it is subscribed to.
  ///   - make: Applies the operator.
  func draw<each Source, Output: Publisher>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, subscribedAt frames: [Int] = [0],
    file: String = #filePath, line: Int = #line, as make: (repeat each Source) -> Output
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    let subscribers = frames.map { _ in RecordingSubscriber<Output.Output, Output.Failure>(on: timeline) }
    timeline.drive {
      let output = make(repeat each sources)
      for (frame, subscriber) in zip(frames, subscribers) {
        start(at: frame) { output.subscribe(subscriber) }
      }
    }
    timeline.run()
    var rows: [(rows: [Row], isOutput: Bool)] = []
    repeat rows.append(((each inputs).rows(each sources), (each inputs).isOutput))
    for subscriber in subscribers { subscriber.cancel() }
    add(name, pages, rows, subscribers.map { $0.signals.compactMap(Row.Mark.init) }, frames, Listing(file, line))
  }

  /// Draws what the outputs among the inputs record of a subscription.
  func draw<each Source>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, file: String = #filePath,
    line: Int = #line, as make: (repeat each Source) -> AnyCancellable
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    let cancellable = timeline.drive { make(repeat each sources) }
    timeline.run()
    var rows: [(rows: [Row], isOutput: Bool)] = []
    repeat rows.append(((each inputs).rows(each sources), (each inputs).isOutput))
    cancellable.cancel()
    add(name, pages, rows, [], [], Listing(file, line))
  }

  /// Draws an asynchronous sequence.
  ///
  /// - Parameter frames: When iterations of it begin.
  func draw<each Source, Output: AsyncSequence>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, iteratedFrom frames: [Int] = [0],
    file: String = #filePath, line: Int = #line, as make: (repeat each Source) -> Output
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    var iterations: [RecordingIteration<Output>] = []
    timeline.drive {
      // Everything runs on this thread, which drives the timeline.
      nonisolated(unsafe) let output = make(repeat each sources)
      for frame in frames {
        let iteration = RecordingIteration(of: output, on: timeline)
        iterations.append(iteration)
        start(at: frame) { iteration.start() }
      }
    }
    timeline.run()
    var rows: [(rows: [Row], isOutput: Bool)] = []
    repeat rows.append(((each inputs).rows(each sources), (each inputs).isOutput))
    for iteration in iterations { iteration.cancel() }
    add(name, pages, rows, iterations.map { $0.signals.compactMap(Row.Mark.init) }, frames, Listing(file, line))
  }

  /// Draws what the outputs among the inputs record while code runs in a task.
  func drawCalls<each Source>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, file: String = #filePath,
    line: Int = #line, as run: @escaping (repeat each Source) async throws -> Void
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    // As above.
    nonisolated(unsafe) let operation: () async throws -> Void = { try await run(repeat each sources) }
    let task = timeline.drive { Task(executorPreference: timeline) { try? await operation() } }
    timeline.run()
    var rows: [(rows: [Row], isOutput: Bool)] = []
    repeat rows.append(((each inputs).rows(each sources), (each inputs).isOutput))
    task.cancel()
    add(name, pages, rows, [], [], Listing(file, line))
  }

  // MARK: Parts of a figure's code

  /// Sends the elements of a sequence to a subject.
  func send<Source: AsyncSequence & Sendable, Target: AsyncSubject & Sendable>(_ source: Source, to subject: Target)
  where Source.Element == Target.Element, Source.Element: Sendable, Source.Failure == Never {
    _ = Task(executorPreference: timeline) {
      for await element in source { subject.send(element) }
      subject.finish()
    }
  }

  /// Sends the values of a publisher to a subject.
  func send<Source: Publisher, Target: Subject>(_ source: Source, to subject: Target)
  where Source.Output == Target.Output, Source.Failure == Target.Failure {
    kept.append(source.subscribe(subject))
  }

  /// Keeps what would end something if it were released.
  func keep(_ object: Any) { kept.append(object) }

  /// Does something later.
  func after(_ seconds: Int, _ action: @escaping () -> Void) { start(at: seconds, action) }

  // MARK: Recorded figures

  private func start(at frame: Int, _ action: @escaping () -> Void) {
    if frame == 0 { return action() }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(frame)), action)
  }

  private func add(
    _ name: String, _ names: [String], _ inputs: [(rows: [Row], isOutput: Bool)], _ outputs: [[Row.Mark]],
    _ frames: [Int], _ listing: Listing
  ) {
    precondition(!figures.contains { $0.module == module && $0.name == name }, "two figures are called \(name)")
    let paths = names.flatMap { name in
      let paths = pages.paths(in: module, of: name)
      precondition(!paths.isEmpty, "tools/diagrams/pages.txt has no page \(name) of \(module)")
      return paths
    }
    let shown = figures.lazy.flatMap(\.pages).first(where: paths.contains)
    precondition(shown == nil, "\(name): another figure is on the page \(shown ?? "") already")
    let rows = zip(inputs, listing.names).map { input, name in
      (rows: input.rows.map { $0.named(name) }, isOutput: input.isOutput)
    }
    let received = zip(outputs, frames).enumerated().map { index, output in
      let (marks, frame) = output
      if frames == [0] { return Row(marks: marks).named("output") }
      let end = marks.last.flatMap { mark in mark.isValue ? nil : (mark.frame, false) }
      return Row(marks: marks, windows: [Window(start: frame, end: end)]).named("output \(index + 1)")
    }
    figures.append(
      Figure(
        module: module, name: name, pages: paths, code: listing.code,
        inputs: rows.filter { !$0.isOutput }.flatMap(\.rows),
        outputs: rows.filter(\.isOutput).flatMap(\.rows) + received))
  }
}
