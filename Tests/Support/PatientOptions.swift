import InterflowTesting

extension PublisherVerification.Options {
  /// With a time limit for a machine that is busy with other tests, and fewer rounds than a test of one publisher alone has.
  package static var patient: PublisherVerification.Options {
    // ThreadSanitizer finds a race also where the threads do not meet in time, and every signal takes many times as long.
    PublisherVerification.Options(
      manyElements: hasThreadSanitizer ? 300 : 600, threads: 3, rounds: hasThreadSanitizer ? 1 : 2,
      deadline: .seconds(180))
  }
}
