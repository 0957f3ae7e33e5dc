import FileIndexCore
import Interflow
import Testing

@Suite("Index pipeline")
struct IndexPipelineTests {
  @Test("Every file has one outcome, however many are read at a time", arguments: [1, 3, 16])
  func everyFile(jobs: Int) async throws {
    let folder = try TemporaryFolder()
    let names = (0..<200).map { "file \($0)" }
    for name in names { try folder.addFile(name, name) }
    let (pipeline, _) = try pipeline(over: folder, jobs: jobs)

    var paths: [String] = []
    let work = pipeline.start()
    for await outcome in pipeline.outcomes.asyncValues {
      guard case .indexed(let file) = outcome else { continue }
      paths.append(file.path.text)
    }
    work.cancel()
    #expect(paths.sorted() == names.sorted())
  }

  @Test("The walk waits for the reader of the results", arguments: [1, 4])
  func backPressure(jobs: Int) async throws {
    let folder = try TemporaryFolder()
    for number in 0..<100 { try folder.addFile("\(number)") }
    let (pipeline, tally) = try pipeline(over: folder, jobs: jobs)

    var taken = 0
    let work = pipeline.start()
    for await _ in pipeline.outcomes.asyncValues {
      taken += 1
      #expect(tally.walked <= taken + jobs)
    }
    work.cancel()
    #expect(taken == 100)
  }

  @Test("Results end when there is nothing to walk")
  func empty() async throws {
    let folder = try TemporaryFolder()
    let (pipeline, _) = try pipeline(over: folder, jobs: 2)
    let work = pipeline.start()
    for await outcome in pipeline.outcomes.asyncValues { Issue.record("\(outcome)") }
    work.cancel()
  }

  private func pipeline(over folder: TemporaryFolder, jobs: Int) throws -> (IndexPipeline, WalkTally) {
    let tally = WalkTally()
    let walk = try FolderWalk(root: folder.path, includesToolFolders: false, tally: tally)
    return (IndexPipeline(walk: walk, jobs: jobs), tally)
  }
}
