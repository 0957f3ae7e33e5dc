import AsyncOperators
import InterflowTestSupport
import Testing

/// What holds for every subject: who gets what, how it ends, and that nothing is left behind.
///
/// - Parameters:
///   - first: How many elements of those sent before a new consumer gets, at most.
///   - make: A subject that holds zero, if it holds a value from the beginning.
struct SubjectRules<Subject: AsyncSubject<Int, TestError> & Sendable>: Sendable
where Subject.AsyncIterator: SubjectIterator, Subject.AsyncIterator.Element == Int {
  let holdsZero: Bool
  let make: @Sendable () -> Subject

  /// A consumer that has taken what was sent before it was added.
  private func consumer(of subject: Subject) async throws -> Subject.AsyncIterator {
    var iterator = subject.makeAsyncIterator()
    if holdsZero { #expect(try await iterator.next(isolation: nil) == 0) }
    return iterator
  }

  func allConsumersGetAllElements() async throws {
    let subject = make()
    var consumers: [Subject.AsyncIterator] = []
    for _ in 0..<5 { consumers.append(try await consumer(of: subject)) }
    for value in 1...20 { #expect(subject.send(value) == delivered(to: 5)) }
    subject.finish()
    for index in consumers.indices {
      for value in 1...20 { #expect(try await consumers[index].next(isolation: nil) == value) }
      for _ in 0..<3 { #expect(try await consumers[index].next(isolation: nil) == nil) }
    }
  }

  func aFailureComesOnceToEachConsumer() async throws {
    let subject = make()
    var consumers = [try await consumer(of: subject), try await consumer(of: subject)]
    subject.send(1)
    subject.finish(throwing: TestError("a"))
    subject.finish()
    #expect(subject.send(2).wasFinished)
    for index in consumers.indices {
      #expect(try await consumers[index].next(isolation: nil) == 1)
      await #expect(throws: TestError("a")) { try await consumers[index].next(isolation: nil) }
      #expect(try await consumers[index].next(isolation: nil) == nil)
    }
  }

  func waitingConsumersAreResumed() async throws {
    let subject = make()
    let ready = Signal()
    let tasks = (0..<3).map { _ in
      Task {
        var iterator = try await consumer(of: subject)
        ready.fire()
        var values: [Int] = []
        while let value = try await iterator.next(isolation: nil) { values.append(value) }
        return values
      }
    }
    await ready.wait(3)
    for _ in 0..<20 { await Task.yield() }
    subject.send(1)
    for _ in 0..<20 { await Task.yield() }
    subject.send(2)
    subject.finish()
    for task in tasks { #expect(try await task.value == [1, 2]) }
  }

  func aCancelledConsumerLeaves() async throws {
    let subject = make()
    var other = try await consumer(of: subject)
    let isWaiting = Signal()
    let task = Task {
      var iterator = try await consumer(of: subject)
      isWaiting.fire()
      let first = try await iterator.next(isolation: nil)
      let second = try await iterator.next(isolation: nil)
      return first == nil && second == nil
    }
    await isWaiting.wait()
    for _ in 0..<20 { await Task.yield() }
    task.cancel()
    #expect(try await task.value)
    #expect(subject.send(1) == delivered(to: 1))
    #expect(try await other.next(isolation: nil) == 1)
  }

  func aConsumerCancelledBeforeItWaitsLosesItsElements() async throws {
    let subject = make()
    let proceed = Signal()
    let hasJoined = Signal()
    let task = Task {
      var iterator = try await consumer(of: subject)
      hasJoined.fire()
      await proceed.wait()
      return try await iterator.next(isolation: nil)
    }
    await hasJoined.wait()
    #expect(subject.send(1) == delivered(to: 1))
    task.cancel()
    proceed.fire()
    #expect(try await task.value == nil)
    #expect(subject.send(2) == delivered(to: 0))
  }

  func aReleasedIteratorLeaves() async throws {
    let subject = make()
    do {
      let iterators = [subject.makeAsyncIterator(), subject.makeAsyncIterator(), subject.makeAsyncIterator()]
      #expect(subject.send(1) == delivered(to: 3))
      withExtendedLifetime(iterators) {}
    }
    #expect(subject.send(2) == delivered(to: 0))
    var iterators = [subject.makeAsyncIterator(), subject.makeAsyncIterator(), subject.makeAsyncIterator()]
    iterators.remove(at: 0)
    #expect(subject.send(3) == delivered(to: 2))
    iterators.removeAll()
  }

  func releasingTheSubjectEndsIt() async throws {
    var subject: Subject? = make()
    var iterator = try await consumer(of: subject!)
    subject?.send(1)
    subject = nil
    #expect(try await iterator.next(isolation: nil) == 1)
    #expect(try await iterator.next(isolation: nil) == nil)
  }

  /// Each thread's elements come in its order, and all consumers see one order.
  func allConsumersSeeOneOrder() async throws {
    let subject = make()
    var consumers: [Subject.AsyncIterator] = []
    for _ in 0..<3 { consumers.append(try await consumer(of: subject)) }
    inParallel(4) { thread in
      for number in 1...500 { subject.send(thread * 1_000 + number) }
    }
    subject.finish()
    var orders: [[Int]] = []
    for index in consumers.indices {
      var values: [Int] = []
      while let value = try await consumers[index].next(isolation: nil) { values.append(value) }
      orders.append(values)
    }
    #expect(orders[0].count == 2_000 && orders[1] == orders[0] && orders[2] == orders[0])
    for thread in 0..<4 {
      #expect(orders[0].filter { $0 / 1_000 == thread }.map { $0 % 1_000 } == Array(1...500))
    }
  }

  func run() async throws {
    try await allConsumersGetAllElements()
    try await aFailureComesOnceToEachConsumer()
    try await waitingConsumersAreResumed()
    try await aCancelledConsumerLeaves()
    try await aConsumerCancelledBeforeItWaitsLosesItsElements()
    try await aReleasedIteratorLeaves()
    try await releasingTheSubjectEndsIt()
    try await allConsumersSeeOneOrder()
  }

  private func delivered(to count: Int) -> Delivery { Delivery(count) }
}

/// What `send(_:)` returns when nothing is dropped.
private struct Delivery {
  let consumers: Int
  init(_ consumers: Int) { self.consumers = consumers }

  static func == (delivery: AsyncSubjectDelivery, expected: Delivery) -> Bool {
    delivery.consumerCount == expected.consumers && delivery.droppedCount == 0 && !delivery.wasFinished
  }
}

/// The iterator of a subject, whose failure is that of the tests.
protocol SubjectIterator: AsyncIteratorProtocol where Failure == TestError {}
extension AsyncSubjectIterator: SubjectIterator where Failure == TestError {}
