import Combine
import Foundation
import InterflowPrimitives

/// Checks a publisher against the rules that every publisher keeps, one after the other and from several threads.
///
/// Hand it a closure that makes a publisher of so many values. Each rule of ``Rule`` is put to the test, first with one
/// thread and then with several, and what was found is reported with the signals that show it:
///
/// ```swift
/// try await PublisherVerification.verify(elements: 5) { count in
///   (0..<count).publisher.map { $0 * 2 }
/// }
/// ```
///
/// The checks wait for signals, not for time to pass, so that a publisher may deliver on any thread and as late as it
/// likes; only one that does not deliver at all is given up after ``Options/deadline``. They run on threads of their
/// own: neither the caller's thread nor the pool of Swift's tasks is blocked, so that a publisher may need either.
public enum PublisherVerification {
  /// Verifies a publisher that delivers on request.
  ///
  /// - Parameters:
  ///   - elements: How many values most of the rules are checked with.
  ///   - options: What is known of the publisher, and how much is to be done.
  ///   - make: Makes a publisher that delivers so many values and completes. It is called for each check, with
  ///     different numbers, on any thread.
  ///   - failing: Makes a publisher of the same kind that fails without a value, for the rules about failures.
  /// - Returns: What was found, where no rule is broken.
  /// - Throws: What was found, where one is.
  @discardableResult
  public static func verify<P: Publisher>(
    elements: Int = 5, options: Options = Options(), make: @escaping @Sendable (_ elements: Int) -> P,
    failing: (@Sendable () -> PublisherUnderTest)? = nil
  ) async throws(VerificationFailure) -> VerificationReport {
    // The user's closure is `@Sendable`; what is added to it is the publisher's type, which nothing can change.
    let transfer = UncheckedTransfer<(Int) -> PublisherUnderTest> { PublisherUnderTest(make($0)) }
    return try await verify(elements: elements, options: options, make: { transfer.value($0) }, failing: failing)
  }

  /// Verifies a publisher that may have to be driven, such as a subject.
  ///
  /// ```swift
  /// try await PublisherVerification.verify(elements: 5, options: .init(surplus: .isDropped)) { count in
  ///   let subject = PassthroughSubject<Int, Never>()
  ///   return PublisherUnderTest(subject) {
  ///     for number in 0..<count { subject.send(number) }
  ///     subject.send(completion: .finished)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: How many values most of the rules are checked with.
  ///   - options: What is known of the publisher, and how much is to be done.
  ///   - make: Makes a publisher that delivers so many values and completes. It is called for each check, with
  ///     different numbers, on any thread.
  ///   - failing: Makes a publisher of the same kind that fails without a value, for the rules about failures.
  /// - Returns: What was found, where no rule is broken.
  /// - Throws: What was found, where one is.
  @discardableResult
  public static func verify(
    elements: Int = 5, options: Options = Options(),
    make: @escaping @Sendable (_ elements: Int) -> PublisherUnderTest,
    failing: (@Sendable () -> PublisherUnderTest)? = nil
  ) async throws(VerificationFailure) -> VerificationReport {
    let report = await examine(elements: elements, options: options, make: make, failing: failing)
    if !report.isPassed { throw VerificationFailure(report: report) }
    return report
  }

  /// Reports what `verify` would find, and does not throw.
  ///
  /// - Parameters:
  ///   - elements: How many values most of the rules are checked with.
  ///   - options: What is known of the publisher, and how much is to be done.
  ///   - make: Makes a publisher that delivers so many values and completes.
  ///   - failing: Makes a publisher of the same kind that fails without a value, for the rules about failures.
  public static func examine(
    elements: Int = 5, options: Options = Options(),
    make: @escaping @Sendable (_ elements: Int) -> PublisherUnderTest,
    failing: (@Sendable () -> PublisherUnderTest)? = nil
  ) async -> VerificationReport {
    precondition(elements >= 0, "a publisher cannot deliver \(elements) values; say 0 or more")
    let examination = Examination(elements: elements, options: options, make: make, failing: failing)
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: examination.run()) }.start()
    }
  }
}
