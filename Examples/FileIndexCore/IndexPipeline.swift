import Combine
import Interflow

/// The road from a folder to the results.
///
/// An async sequence walks the folder. As a publisher it feeds tasks that read the files, a limited number at a time.
/// Each task sends its result into a channel and is done when the result has been taken. So a slow reader of the
/// channel holds up the tasks, the tasks hold up the walk, and memory holds a few files' results at most.
package struct IndexPipeline: Sendable {
  /// The results, in the order in which they are ready.
  package let outcomes = AsyncChannel<Outcome, Never>()

  private let walk: FolderWalk
  private let jobs: Int

  /// A pipeline that reads up to `jobs` files at a time.
  package init(walk: FolderWalk, jobs: Int) {
    self.walk = walk
    self.jobs = jobs
  }

  /// Starts to work; results wait for somebody who takes them.
  ///
  /// - Returns: What stops the walk and the reading when it is cancelled or let go.
  package func start() -> AnyCancellable {
    let reader = FileReader(root: walk.root)
    let outcomes = outcomes
    return walk.publisher
      .task(maxPublishers: .max(jobs)) { entry in
        // Only cancellation makes this throw, and then nobody waits for the result.
        try? await outcomes.send(reader.outcome(of: entry))
      }
      .sink(
        receiveCompletion: { _ in outcomes.send(completion: .finished) },
        receiveValue: { _ in })
  }
}
