import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// A peer that answers almost as a server does. Whatever it says, the process goes on.
@Suite(.serialized) struct AnswerStressTests {
  private static let runs = 0..<max(30, (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) / 10)

  /// Until when a loop or a value is waited for that may never come.
  private func briefly(_ body: @escaping @Sendable () async throws -> Void) async {
    let task = Task { _ = try? await body() }
    let deadline = Deadlines.shared.add(after: .milliseconds(100)) { task.cancel() }
    await task.value
    Deadlines.shared.remove(deadline)
  }

  @Test(arguments: runs) func noAnswerEndsTheProcess(seed: Int) async throws {
    let random = Shared(Random(UInt64(seed)))
    let answered = Shared(0)
    let server = try FakeServer { request in
      answered.update { $0 += 1 }
      return random.update { ServerAnswers.to(request, &$0) }
    }
    defer { server.close() }
    var options = NATSOptions.patient
    options.requestTimeout = .milliseconds(200)
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let stream: NATSStream<Int>
    while true {
      if let existing = try? await NATSStream<Int>(connection, existing: "NUMBERS", subject: "numbers") {
        stream = existing
        break
      }
    }
    for number in 0..<5 {
      _ = try? await NATSStream<Int>(connection, "OTHER")
      _ = try? await stream.state()
      _ = try? await stream.state(ofConsumer: "reader")
      _ = try? await stream.send(number)
    }
    _ = try? await stream.removeAll()
    _ = try? await stream.deleteConsumer("reader")
    await briefly {
      for try await message in stream.messages(durable: "reader").asyncValues {
        _ = (message.subject, message.sequence, message.deliveryCount, message.date, message.id)
        message.ack()
      }
    }
    await briefly {
      for try await value in stream.replay().asyncValues {
        _ = (value.subject, value.sequence, value.date, value.id, value.headers, value.remaining)
      }
    }
    await briefly {
      _ = try? await stream.send(1, id: "one", headers: ["A": "b"], expecting: .last(1))
      let numbers = try NATSSubject<Int>(connection, "numbers.requests")
      for _ in 0..<5 { _ = try? await numbers.requestMessage(1, answer: NATSCoding<Int>.json).headers }
    }
    await briefly {
      let value = try await NATSValue<Int>(connection, bucket: "bucket", key: "key")
      for _ in 0..<5 {
        _ = try? await value.refresh()
        _ = try? await value.update(1, from: 2)
      }
      _ = try await value.update { $0 = ($0 ?? 0) &+ 1 }
    }
    await briefly {
      let values = try await NATSDictionary<Int>(connection, bucket: "bucket")
      _ = try? await values.refresh("key")
      for try await _ in values.values {}
    }
    await briefly {
      let work = try await NATSWork<Int, Int>(connection, "WORK")
      try await work.work { $0 }
    }
    await briefly {
      let work = try await NATSWork<Int, Int>(connection, "WORK")
      for try await _ in [1].publisher.distribute(over: work).values {}
    }
    // On a busy machine, few have been answered in time.
    for _ in 0..<10_000 where answered.value <= 10 { _ = try? await stream.state() }
    #expect(answered.value > 10)
    await connection.close()
  }
}
