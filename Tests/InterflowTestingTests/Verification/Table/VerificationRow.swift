import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization

/// A publisher of the package, and how it is verified.
struct VerificationRow: Sendable, CustomStringConvertible {
  /// The name of its type in the listing of the module's API.
  let type: String
  /// What is told apart where a type has several rows.
  let detail: String
  var elements = 8
  let options: PublisherVerification.Options
  let make: @Sendable (Int) -> PublisherUnderTest
  var failing: (@Sendable () -> PublisherUnderTest)?

  var description: String { detail.isEmpty ? type : "\(type), \(detail)" }

  init(
    _ type: String, _ detail: String = "", _ facts: Facts = Facts(),
    failing: (@Sendable () -> PublisherUnderTest)? = nil, make: @escaping @Sendable (Int) -> PublisherUnderTest
  ) {
    self.type = type
    self.detail = detail
    options = facts.options
    self.make = make
    self.failing = failing
  }
}

/// What is particular about a publisher.
struct Facts: Sendable {
  var maximum: Int?
  var completes = true
  var surplus = PublisherVerification.Options.Surplus.waits
  var manyElements = 1_200
  var rules = Set(Rule.allCases)
  var exemptions: [Rule: String] = [:]

  var options: PublisherVerification.Options {
    var options = PublisherVerification.Options.patient
    options.maximum = maximum
    options.completes = completes
    options.surplus = surplus
    options.manyElements = min(options.manyElements, manyElements)
    options.rules = rules
    return exemptions.reduce(options) { $0.exempting($1.key, because: $1.value) }
  }

  static func exempting(_ exemptions: [Rule: String]) -> Facts {
    var facts = Facts()
    facts.exemptions = exemptions
    return facts
  }

  /// One value at most.
  static let single: Facts = {
    var facts = Facts()
    facts.maximum = 1
    return facts
  }()

  /// One value, also where there is nothing to make it from.
  static let always: Facts = {
    var facts = single
    facts.exemptions[.completionNeedsNoDemand] = "it always has a value"
    return facts
  }()

  /// One value, or none.
  static let singleOrNone: Facts = {
    var facts = single
    facts.exemptions[.completionNeedsNoDemand] = "an end without a value waits for a request, as Apple's does"
    return facts
  }()

  /// Values that nobody has asked for are dropped.
  static let dropping: Facts = {
    var facts = Facts()
    facts.surplus = .isDropped
    return facts
  }()

  func adding(_ exemptions: [Rule: String]) -> Facts {
    var facts = self
    facts.exemptions.merge(exemptions) { first, _ in first }
    return facts
  }
}

/// What an operator is put on.
typealias Upstream = AnyPublisher<Int, Broken>

/// What makes an upstream deliver.
private typealias Feeding = @Sendable () -> Void

/// The three kinds of upstream that an operator is verified on.
enum UpstreamKind: String, CaseIterable {
  /// Delivers where it is asked.
  case synchronous = "on a sequence"
  /// Delivers where it is fed, and drops what nobody has asked for.
  case driven = "on a subject"
  /// Delivers from a task.
  case asynchronous = "on an asynchronous sequence"
}

/// An operator on each kind of upstream.
///
/// - Parameters:
///   - feed: How many values the operator is fed for so many of its own.
///   - fails: Whether a failure of the upstream is one of the operator.
///   - sends: Whether each even number that a subject sends brings one value.
func rows<P: Publisher>(
  _ type: String, _ detail: String = "", _ facts: Facts = Facts(), feed: @escaping @Sendable (Int) -> Int = { $0 },
  fails: Bool = true, on kinds: [UpstreamKind] = UpstreamKind.allCases, drivenSurplusWaits: Bool = false,
  sends: Bool = false,
  exemptWhereSynchronous: [Rule: String] = [:], exemptWhereDriven: [Rule: String] = [:],
  exemptWhereAsynchronous: [Rule: String] = [:],
  make: @escaping @Sendable (Upstream) -> P
) -> [VerificationRow] {
  // What the closure's type adds to it cannot change.
  let made = Sending<(Upstream, Feeding?, Feeding?) -> PublisherUnderTest> { upstream, drive, send in
    PublisherUnderTest(make(upstream), drive: drive, send: send)
  }
  return kinds.map { kind in
    var facts = facts
    var failing: (@Sendable () -> PublisherUnderTest)?
    let whole: @Sendable (Int) -> PublisherUnderTest
    switch kind {
    case .synchronous:
      facts = facts.adding(exemptWhereSynchronous)
      failing = { made.value(Fail(error: Broken()).eraseToAnyPublisher(), nil, nil) }
      whole = { count in
        made.value((0..<feed(count)).publisher.setFailureType(to: Broken.self).eraseToAnyPublisher(), nil, nil)
      }
    case .driven:
      if !drivenSurplusWaits { facts.surplus = .isDropped }
      facts = facts.adding(exemptWhereDriven)
      failing = {
        let subject = PassthroughSubject<Int, Broken>()
        return made.value(subject.eraseToAnyPublisher(), { subject.send(completion: .failure(Broken())) }, nil)
      }
      whole = { count in
        let subject = PassthroughSubject<Int, Broken>()
        let turns = Turns()
        let drive: Feeding = {
          for number in 0..<feed(count) { subject.send(number) }
          subject.send(completion: .finished)
        }
        let send: Feeding = { subject.send(2 * turns.next()) }
        return made.value(subject.eraseToAnyPublisher(), drive, sends ? send : nil)
      }
    case .asynchronous:
      facts = facts.adding(exemptWhereAsynchronous).adding([
        .completionNeedsNoDemand: "nothing is pulled from the sequence before there is demand"
      ])
      whole = { count in
        let numbers = AsyncNumbers(count: feed(count)).publisher.setFailureType(to: Broken.self)
        return made.value(numbers.eraseToAnyPublisher(), nil, nil)
      }
    }
    let title = [detail, kind.rawValue].filter { !$0.isEmpty }.joined(separator: ", ")
    return VerificationRow(type, title, facts, failing: fails ? failing : nil, make: whole)
  }
}

/// Numbers from zero, each once, for whichever thread asks.
final class Turns: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// Carries a closure into others that are `@Sendable`.
struct Sending<Value>: @unchecked Sendable {  // Made of a `@Sendable` closure and of types.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// An asynchronous sequence of the numbers from zero.
struct AsyncNumbers: AsyncSequence, Sendable {
  let count: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    var next = 0
    let count: Int

    mutating func next() async -> Int? { await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      guard next < count else { return nil }
      defer { next += 1 }
      return next
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: count) }
}
