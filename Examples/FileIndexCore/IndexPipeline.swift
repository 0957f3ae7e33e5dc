import Combine
import Interflow
import InterflowTracing

/// The pipeline from a folder to the results.
///
/// An async sequence walks the folder. It is converted to a publisher, and a limited number of tasks at a time read the
/// files. Each task sends its result into a channel and ends when the result has been taken. So a slow reader of the
/// channel suspends the tasks, the tasks suspend the walk, and only a few results are in memory at a time.
package struct IndexPipeline: Sendable {
  /// The results, in the order in which they are ready.
  package let outcomes = AsyncChannel<Outcome, Never>()

  private let walk: FolderWalk
  private let jobs: Int
  private let known: FileReader.KnownFiles?
  private let recorder: TraceRecorder

  /// A pipeline that reads up to `jobs` files at a time, except for those that `known` finds.
  package init(
    walk: FolderWalk, jobs: Int, known: FileReader.KnownFiles? = nil, recorder: TraceRecorder = .shared
  ) {
    self.walk = walk
    self.jobs = jobs
    self.known = known
    self.recorder = recorder
  }

  /// The results as they are taken.
  package var results: some AsyncSequence<Outcome, Never> & Sendable {
    outcomes.asyncValues.traced("results", recorder: recorder) { $0.title }
  }

  /// Starts the work; tasks wait until their results are taken.
  ///
  /// - Returns: A cancellable that stops the walk and the reading, also when it is deallocated.
  package func start() -> AnyCancellable {
    let reader = FileReader(root: walk.root, known: known)
    let outcomes = outcomes
    return walk.publisher
      .traced("walk", recorder: recorder) { $0.title }
      .task(maxPublishers: .max(jobs)) { entry in
        // Throws only if the task is cancelled, and then the result is not needed.
        try? await outcomes.send(reader.outcome(of: entry))
      }
      .sink(
        receiveCompletion: { _ in outcomes.send(completion: .finished) },
        receiveValue: { _ in })
  }
}

extension WalkedEntry {
  /// The name of what was found, for a trace.
  package var title: String {
    switch self {
    case .file(let path): path.name
    case .unreadable(let entry): "unreadable: \(entry.path.name)"
    case .skipped(let entry): "skipped: \(entry.path.name)"
    }
  }
}

extension Outcome {
  /// The name of what the result is about, for a trace.
  fileprivate var title: String {
    switch self {
    case .indexed(let file): file.path.name
    case .unchanged(let file): "unchanged: \(file.path.name)"
    case .failed(let entry): "failed: \(entry.path.name)"
    case .skipped(let entry): "skipped: \(entry.path.name)"
    }
  }
}

extension EntryPath {
  /// What follows the last slash.
  package var name: String { String(text.split(separator: "/").last ?? "/") }
}
