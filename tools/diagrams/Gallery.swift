import AsyncOperators
import Combine
import Interflow
import InterflowTesting

/// Runs operators on virtual time, and keeps a figure of each.
final class Gallery {
  private(set) var figures: [Figure] = []
  private var module = ""
  private var parent = ""
  private var timeline = TestTimeline()

  /// The scheduler of the figure that is being drawn.
  var scheduler: TestScheduler { timeline.scheduler }
  /// The clock of the figure that is being drawn.
  var clock: TestClock { timeline.clock }

  /// Says what the figures that follow are about.
  ///
  /// - Parameters:
  ///   - module: The module that has the catalogue.
  ///   - parent: What stands before the names of pages.
  func begin(_ module: String, pagesIn parent: String) {
    self.module = module
    self.parent = parent
  }

  /// Draws a publisher.
  ///
  /// The code in the figure is the body of the closure, and the rows have the names of its parameters.
  ///
  /// - Parameters:
  ///   - name: The name of the figure.
  ///   - pages: The symbols whose pages show it.
  ///   - inputs: What the closure gets.
  ///   - make: Applies the operator.
  func draw<each Source, Output: Publisher>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, file: String = #filePath,
    line: Int = #line, as make: (repeat each Source) -> Output
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    let subscriber = RecordingSubscriber<Output.Output, Output.Failure>(on: timeline)
    make(repeat each sources).subscribe(subscriber)
    timeline.run()
    var rows: [[Row]] = []
    repeat rows.append((each inputs).rows(each sources))
    subscriber.cancel()
    add(name, pages, rows, Row(marks: subscriber.signals.compactMap(Row.Mark.init)), Listing(file, line))
  }

  /// Draws an asynchronous sequence.
  func draw<each Source, Output: AsyncSequence>(
    _ name: String, on pages: String..., of inputs: repeat Input<each Source>, file: String = #filePath,
    line: Int = #line, as make: (repeat each Source) -> Output
  ) {
    timeline = TestTimeline()
    let sources = (repeat (each inputs).make(timeline))
    // Everything runs on this thread, which drives the timeline.
    nonisolated(unsafe) let output = make(repeat each sources)
    let iteration = RecordingIteration(of: output, on: timeline)
    iteration.start()
    timeline.run()
    var rows: [[Row]] = []
    repeat rows.append((each inputs).rows(each sources))
    iteration.cancel()
    add(name, pages, rows, Row(marks: iteration.signals.compactMap(Row.Mark.init)), Listing(file, line))
  }

  private func add(_ name: String, _ pages: [String], _ inputs: [[Row]], _ output: Row, _ listing: Listing) {
    precondition(!figures.contains { $0.module == module && $0.name == name }, "two figures are called \(name)")
    var output = output
    output.name = "output"
    let rows = zip(inputs, listing.names).flatMap { rows, name in
      rows.map { row in
        var row = row
        row.name = name
        return row
      }
    }
    figures.append(
      Figure(
        module: module, name: name, pages: pages.map { parent + $0 }, code: listing.code, inputs: rows, output: output))
  }
}
