@testable import FileIndexCluster
import Testing

@Suite struct ClusterOptionsTests {
  private func problem(_ arguments: String...) -> String? {
    do {
      _ = try ClusterOptions(arguments)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func withoutArgumentsTheCurrentFolderIsHandedOut() throws {
    let options = try ClusterOptions([])
    #expect(options.role == .coordinator)
    #expect(options.folder == ".")
    #expect(options.urls == ["nats://127.0.0.1:4222"])
    #expect((options.workers, options.replicas) == (4, 1))
    #expect(!options.includesToolFolders && !options.showsHelp && options.half == nil)
  }

  @Test func everyOptionIsUnderstoodInAnyOrder() throws {
    let options = try ClusterOptions([
      "--replicas", "3", "folder", "--nats", "nats://one:1,nats://two:2", "--all", "--workers", "2", "--jobs", "7",
      "--name", "OTHER", "--when-half", "true", "-h",
    ])
    #expect(options.folder == "folder")
    #expect(options.urls == ["nats://one:1", "nats://two:2"])
    #expect((options.workers, options.jobs, options.replicas) == (2, 7, 3))
    #expect(options.name == "OTHER")
    #expect(options.half == "true")
    #expect(options.includesToolFolders && options.showsHelp)
  }

  @Test func theFirstArgumentMayBeWorkerAndLaterThatIsAFolder() throws {
    #expect(try ClusterOptions(["worker"]).role == .worker(attached: false))
    let second = try ClusterOptions(["worker", "worker"])
    #expect(second.role == .worker(attached: false))
    #expect(second.folder == "worker")
  }

  @Test func aWorkerUnderstandsWhatItsCoordinatorHandsIt() throws {
    let options = try ClusterOptions([
      "--nats", "nats://one:1,nats://two:2", "--name", "OTHER", "--jobs", "7", "--replicas", "3", "folder",
    ])
    let worker = try ClusterOptions(options.workerArguments(recording: nil))
    #expect(worker.role == .worker(attached: true))
    #expect(worker.urls == options.urls)
    #expect(worker.folder == "folder")
    #expect((worker.name, worker.jobs, worker.replicas) == ("OTHER", 7, 3))
  }

  @Test func badInputIsNamed() {
    #expect(problem("--workers", "65") == "expected a whole number from 0 to 64 after --workers, found '65'")
    #expect(problem("--replicas", "many") == "expected a whole number from 1 to 5 after --replicas, found 'many'")
    #expect(problem("--nats") == "expected a value after --nats, found nothing")
    #expect(problem("--fast") == "unknown option '--fast'")
    #expect(problem("one", "two") == "expected one folder, found 2")
  }

  @Test func aTraceAndItsRecordings() throws {
    #expect(try ClusterOptions(["--trace", "a.html"]).trace == "a.html")
    #expect(try ClusterOptions(["--trace=a.html"]).trace == "a.html")
    #expect(throws: ClusterOptions.Problem.self) { try ClusterOptions(["--trace"]) }
    #expect(throws: ClusterOptions.Problem.self) { try ClusterOptions(["--trace="]) }
    let worker = try ClusterOptions(ClusterOptions([]).workerArguments(recording: "/tmp/one"))
    #expect(worker.recording == "/tmp/one")
    #expect(worker.role == .worker(attached: true))
  }
}
