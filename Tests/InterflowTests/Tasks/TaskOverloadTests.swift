import Interflow
import InterflowTestSupport
import Testing

/// What the overloads of `task` and `concurrentMap` infer; that this compiles is most of the test. Each shape stands for
/// itself first, without an annotation, and what was inferred is checked after it.
@Suite struct TaskOverloadTests {
  /// Of a publisher that cannot fail, and of one that can.
  private typealias Of<T: Sendable, Failure: Error> = TaskPublisher<Publishers.Sequence<[Int], Never>, T, Failure>
  private typealias OfFailing<P: Error, T: Sendable, Failure: Error> = TaskPublisher<
    Publishers.Sequence<[Int], P>, T, Failure
  >

  private let never = [1].publisher
  private let failing = [1].publisher.setFailureType(to: TestError.self)
  private let failingSomehow = [1].publisher.setFailureType(to: (any Error).self)

  private func plain(_ value: Int) async -> String { "\(value)" }
  private func throwing(_ value: Int) async throws -> String { "\(value)" }
  private func typed(_ value: Int) async throws(TestError) -> String { "\(value)" }
  private func quick(_ value: Int) -> String { "\(value)" }
  private func quickThrowing(_ value: Int) throws -> String { "\(value)" }

  // MARK: Without an annotation

  @Test func closureThatCannotFailKeepsTheFailure() {
    let short = never.task { await plain($0) }
    let named = never.task { value in await plain(value) }
    let long = never.task { value in
      let text = await plain(value)
      return text + "!"
    }
    let reference = never.task(plain)
    let synchronous = never.task { quick($0) }
    let synchronousReference = never.task(quick)
    let limited = never.task(maxPublishers: .max(2)) { await plain($0) }
    let everything = never.task(maxPublishers: .max(2), buffering: .bufferingNewest(1), priority: .low) {
      await plain($0)
    }
    _ =
      [short, named, long, reference, synchronous, synchronousReference, limited, everything] as [Of<String, Never>]
    let nothing = never.task { _ in }
    let keyPath = never.task(\.description)
    _ = ([nothing] as [Of<Void, Never>], [keyPath] as [Of<String, Never>])
    let ofFailing = failing.task { await plain($0) }
    let ofFailingReference = failing.task(plain)
    let ofSomehow = failingSomehow.task { await plain($0) }
    _ = [ofFailing, ofFailingReference] as [OfFailing<TestError, String, TestError>]
    _ = [ofSomehow] as [OfFailing<any Error, String, any Error>]
  }

  @Test func closureThatThrowsAnythingGivesAnyError() {
    let short = never.task { try await throwing($0) }
    let long = never.task { value in
      let text = try await throwing(value)
      return text + "!"
    }
    let reference = never.task(throwing)
    let synchronous = never.task { try quickThrowing($0) }
    let thrown = never.task { value in
      if value < 0 { throw TestError() }
      return await plain(value)
    }
    let fallible = never.task(maxPublishers: .max(1), buffering: .unbounded) { try await throwing($0) }
    _ = [short, long, reference, synchronous, thrown, fallible] as [Of<String, any Error>]
    let ofFailing = failing.task { try await throwing($0) }
    let ofSomehow = failingSomehow.task { try await throwing($0) }
    _ = [ofFailing] as [OfFailing<TestError, String, any Error>]
    _ = [ofSomehow] as [OfFailing<any Error, String, any Error>]
  }

  @Test func referenceToAFunctionThatNamesItsErrorKeepsIt() {
    let reference = never.task(typed)
    let ofFailing = failing.task(typed)
    _ = [reference] as [Of<String, TestError>]
    _ = [ofFailing] as [OfFailing<TestError, String, TestError>]
  }

  @Test func pipelinesGoOn() {
    let mapped = never.task { await plain($0) }.map { $0.count }.filter { $0 > 0 }
    let flat = never.map { $0 + 1 }.task { try await throwing($0) }.catch { _ in Just("") }.collect()
    let inside = never.flatMap { value in Just(value).task { await plain($0) } }
    let sink = never.task { await plain($0) }.sink { _ in }
    _ = (mapped, flat, inside, sink)
  }

  // MARK: With one

  /// Swift takes what a closure throws for `any Error`, also where all it calls throws one type.
  @Test func closureHasToNameItsErrorToKeepIt() {
    let unnamed = never.task { try await typed($0) }
    _ = [unnamed] as [Of<String, any Error>]
    let named = never.task { (value) throws(TestError) in try await typed(value) }
    let namedAsync = never.task { (value) async throws(TestError) in try await typed(value) }
    let inFull = never.task { (value: Int) async throws(TestError) -> String in try await typed(value) }
    _ = [named, namedAsync, inFull] as [Of<String, TestError>]
    let ofFailing = failing.task { (value) throws(TestError) in try await typed(value) }
    _ = [ofFailing] as [OfFailing<TestError, String, TestError>]
  }

  /// An error of another type than upstream's can only be any error.
  @Test func otherErrorThanUpstreamsIsAnyError() {
    let other = failing.task { (_) throws(CancellationError) -> String in throw CancellationError() }
    _ = [other] as [OfFailing<TestError, String, any Error>]
  }

  // MARK: The same in upstream's order

  @Test func concurrentMapInfersTheSame() {
    let short = never.concurrentMap(maxTasks: 2) { await plain($0) }
    let long = never.concurrentMap(maxTasks: 2) { value in
      let text = await plain(value)
      return text + "!"
    }
    let reference = never.concurrentMap(maxTasks: 2, plain)
    let everything = never.concurrentMap(maxTasks: 2, buffering: .unbounded, priority: .low) { await plain($0) }
    _ = [short, long, reference, everything] as [Of<String, Never>]

    let throwingShort = never.concurrentMap(maxTasks: 2) { try await throwing($0) }
    let throwingReference = never.concurrentMap(maxTasks: 2, throwing)
    _ = [throwingShort, throwingReference] as [Of<String, any Error>]

    let typedReference = never.concurrentMap(maxTasks: 2, typed)
    let typedClosure = never.concurrentMap(maxTasks: 2) { (value) throws(TestError) in try await typed(value) }
    _ = [typedReference, typedClosure] as [Of<String, TestError>]

    let ofFailing = failing.concurrentMap(maxTasks: 2) { await plain($0) }
    let ofFailingTyped = failing.concurrentMap(maxTasks: 2) { (value) throws(TestError) in try await typed(value) }
    _ = [ofFailing, ofFailingTyped] as [OfFailing<TestError, String, TestError>]
    let ofFailingThrowing = failing.concurrentMap(maxTasks: 2) { try await throwing($0) }
    _ = [ofFailingThrowing] as [OfFailing<TestError, String, any Error>]
  }

  // MARK: Sinks

  @Test func ordinarySinksStayOrdinary() {
    var seen: [Int] = []
    // Closures that change a local variable could not run in a task.
    let plainSink = never.sink { seen.append($0) }
    let labelled = never.sink(receiveValue: { seen.append($0) })
    let both = failing.sink { _ in
    } receiveValue: {
      seen.append($0)
    }
    let inTasks = never.sink(maxTasks: 1) { _ = await plain($0) }
    let inTasksSynchronous = never.sink(maxTasks: 1) { _ = quick($0) }
    let inTasksBoth = failing.sink(maxTasks: 1) { _ in
    } receiveValue: {
      _ = await plain($0)
    }
    let oneByOne = never.oneByOneSink { _ = await plain($0) }
    let oneByOneBoth = failing.oneByOneSink { _ in
    } receiveValue: {
      _ = await plain($0)
    }
    #expect(seen == [1, 1, 1])
    _ = (plainSink, labelled, both, inTasks, inTasksSynchronous, inTasksBoth, oneByOne, oneByOneBoth)
  }

  @Test func oneByOneSinkTakesEitherClosure() {
    let manual = Subscribers.OneByOneSink<Int, Never> { _ in
    } receiveValue: {
      _ = quick($0)
    }
    let async = Subscribers.OneByOneSink<Int, Never> { _ in
    } receiveValue: {
      _ = await plain($0)
    }
    let inferred = Subscribers.OneByOneSink { (_: Subscribers.Completion<TestError>) in
    } receiveValue: { (value: Int) in
      _ = await plain(value)
    }
    failing.subscribe(inferred)
    _ = (manual, async)
  }
}
