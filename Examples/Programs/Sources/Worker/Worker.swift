import Combine
import Dispatch
import Foundation
import InterflowNATS

/// Does jobs for other processes, one at a time, until SIGTERM: the job that runs is finished, its result is stored, and the
/// program ends. So a service manager can restart it, and no job is begun twice. With numbers it is the other side: it
/// distributes them as jobs, and prints the results.
///
///     nats-server -js -sd store &
///     swift run Worker nats://127.0.0.1:4222 &
///     swift run Worker nats://127.0.0.1:4222 1 2 3
///     kill -TERM %2
@main
enum Worker {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let jobs = arguments.dropFirst().compactMap { Double($0) }
    guard let url = arguments.first, jobs.count == arguments.count - 1 else {
      FileHandle.standardError.write(
        Data("Usage: Worker URL [SECONDS…], where seconds are jobs for other workers\n".utf8))
      exit(2)
    }
    do {
      let connection = try await NATSConnection(urls: [url])
      let work = try await NATSWork<Double, String>(connection, "SLEEPS")
      if jobs.isEmpty { try await doJobs(of: work) } else { try await distribute(jobs, over: work) }
      await connection.close()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func doJobs(of work: NATSWork<Double, String>) async throws {
    // Keeps the signal until the work has begun.
    let stop = CurrentValueSubject<Bool, Never>(false)
    // Otherwise the signal ends the process before anything else happens.
    signal(SIGTERM, SIG_IGN)
    let signals = DispatchSource.makeSignalSource(signal: SIGTERM)
    signals.setEventHandler {
      say("finishing")
      stop.send(true)
    }
    signals.resume()
    defer { signals.cancel() }
    say("working")
    try await work.work(until: stop.filter { $0 }.map { _ in }) { seconds in
      say("begins \(seconds)")
      try await Task.sleep(for: .seconds(seconds))
      say("ends \(seconds)")
      return "slept \(seconds)"
    }
  }

  private static func distribute(_ jobs: [Double], over work: NATSWork<Double, String>) async throws {
    for try await result in jobs.publisher.distribute(over: work, inOrder: true).asyncValues { say(result) }
  }

  /// Prints a line at once, also to a file.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
