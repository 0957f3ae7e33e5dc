import Combine
import Foundation
import InterflowPrimitives

/// Checks a publisher against the rules that every publisher must keep, with one and with several threads.
///
/// Pass a closure that makes a publisher of a given number of values. Each rule of ``Rule`` is checked, first with one
/// thread and then, if it is safe with them, with several, and breaches are reported with the signals that show them:
///
/// ```swift
/// try await PublisherVerification.verify(elements: 5) { count in
///   (0..<count).publisher.map { $0 * 2 }
/// }
/// ```
///
/// The checks wait for signals, not for time to pass, so a publisher may deliver on any thread and at any time. Only if
/// it does not deliver at all, or a call does not return, a check ends after ``Options/deadline``. The checks run on
/// their own threads and block neither the caller's thread nor Swift's task pool, since a publisher may need them. A
/// thread that delivers a signal waits, in some checks, for calls that others make meanwhile, for the deadline at most. It
/// is kept for good only where it deallocates a subscriber that is still used, which would end the process. Each breach
/// is also written to the standard error when it is found.
public enum PublisherVerification {
  /// Verifies a publisher that delivers on request.
  ///
  /// - Parameters:
  ///   - elements: How many values most of the checks use.
  ///   - options: The properties of the publisher, and the extent of the checks.
  ///   - make: Makes a publisher that delivers this many values and completes. It is called for each check, with
  ///     different numbers, on any thread; also with zero, unless ``Rule/completionNeedsNoDemand`` is exempted.
  ///   - failing: Makes a publisher of the same kind that fails without a value, for the rules about failures.
  /// - Returns: The report, if no rule is broken.
  /// - Throws: The report, if a rule is broken.
  @discardableResult
  public static func verify<P: Publisher>(
    elements: Int = 5, options: Options = Options(), make: @escaping @Sendable (_ elements: Int) -> P,
    failing: (@Sendable () -> PublisherUnderTest)? = nil
  ) async throws(VerificationFailure) -> VerificationReport {
    // The user's closure is `@Sendable`; the closure here captures only the publisher's type in addition.
    let transfer = UncheckedTransfer<(Int) -> PublisherUnderTest> { PublisherUnderTest(make($0)) }
    return try await verify(elements: elements, options: options, make: { transfer.value($0) }, failing: failing)
  }

  /// Verifies a publisher to which values may have to be sent, such as a subject.
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
  ///   - elements: How many values most of the checks use.
  ///   - options: The properties of the publisher, and the extent of the checks.
  ///   - make: Makes a publisher that delivers this many values and completes. It is called for each check, with
  ///     different numbers, on any thread; also with zero, unless ``Rule/completionNeedsNoDemand`` is exempted.
  ///   - failing: Makes a publisher of the same kind that fails without a value, for the rules about failures.
  /// - Returns: The report, if no rule is broken.
  /// - Throws: The report, if a rule is broken.
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

  /// Checks a publisher as `verify` does, and returns the report even if a rule is broken.
  ///
  /// - Parameters:
  ///   - elements: How many values most of the checks use.
  ///   - options: The properties of the publisher, and the extent of the checks.
  ///   - make: Makes a publisher that delivers this many values and completes.
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
