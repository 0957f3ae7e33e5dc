import Foundation
import InterflowTracing

/// The recordings of a coordinator and its workers, which become one page.
struct WorkerRecordings {
  /// Where the workers keep theirs.
  let files: [String]
  private let folder: URL
  private let page: String
  private let title: String

  /// - Returns: `nil` where no page is wanted.
  init?(_ options: ClusterOptions) throws {
    guard let page = options.trace else { return nil }
    self.page = page
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    title = "file-index-cluster \(options.folder)"
    files = (0..<options.workers).map { folder.appendingPathComponent("worker\($0)").path }
  }

  /// Removes the workers' files, also what one has left that was killed while it wrote.
  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Writes the page.
  ///
  /// - Parameter identifiers: The processes of the workers.
  func write(with recorder: TraceRecorder, identifiers: [Int32]) throws {
    recorder.stop()
    var recordings = [(program: "coordinator", recording: recorder.recording())]
    for (file, identifier) in zip(files, identifiers) {
      // A worker that was killed at once has none.
      if let data = FileManager.default.contents(atPath: file) {
        recordings.append(("worker \(identifier)", try JSONDecoder().decode(TraceRecording.self, from: data)))
      }
    }
    try Data(TraceRecording.merged(recordings).html(title: title).utf8).write(
      to: URL(fileURLWithPath: page), options: .atomic)
  }
}
