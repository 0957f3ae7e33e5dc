import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

/// A publisher or an operator that `PublisherVerification` checks, for tables.
struct VerificationRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let verify: @Sendable () async throws -> Void
  /// The name of the publisher's type in the listing of the module's API; of an operator of another type, its own name.
  let type: String
  /// Whether it is checked how a value is delivered that one thread sends while another delivers.
  var checksSending: @Sendable () async throws -> Bool = { false }

  /// A publisher.
  ///
  /// - Parameters:
  ///   - type: The name of its type, as in the listing of the module's API.
  ///   - detail: What is different about this row of the type.
  init(
    _ type: String, _ detail: String = "", options: PublisherVerification.Options = .patient,
    failing: (@Sendable () -> PublisherUnderTest)? = nil,
    publisher make: @escaping @Sendable (Int) -> PublisherUnderTest
  ) {
    self.type = type
    testDescription = detail.isEmpty ? type : "\(type), \(detail)"
    verify = { try await PublisherVerification.verify(options: options, make: make, failing: failing) }
    checksSending = {
      var options = options
      options.rules = [.sendDuringASignalWaits]
      let report = try await PublisherVerification.verify(options: options, make: make)
      return if case .kept = report[.sendDuringASignalWaits] { true } else { false }
    }
  }

  /// An operator on a sequence.
  ///
  /// - Parameters:
  ///   - name: The operator, as it is called.
  ///   - feed: How many values of the sequence make so many of the operator.
  ///   - fails: Whether a failure of the sequence is one of the operator.
  ///   - make: The operator, on a publisher.
  init<P: Publisher>(
    _ name: String, _ options: PublisherVerification.Options = .patient,
    feed: @escaping @Sendable (Int) -> Int = { $0 },
    fails: Bool = true, make: @escaping @Sendable (AnyPublisher<Int, TestError>) -> P
  ) where P: SendableMetatype {
    testDescription = name
    type = name
    let failing: @Sendable () -> PublisherUnderTest = {
      PublisherUnderTest(make(Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()))
    }
    let feeding: @Sendable (Int) -> P = { count in
      let numbers = (0..<feed(count)).publisher.setFailureType(to: TestError.self)
      return make(numbers.eraseToAnyPublisher())
    }
    verify = {
      try await PublisherVerification.verify(options: options, make: feeding, failing: fails ? failing : nil)
    }
  }
}
