import InterflowTesting

extension PublisherVerification.Options {
  /// With a time limit for a machine that is busy with other tests, and fewer rounds than a test of one publisher alone has.
  package static var patient: PublisherVerification.Options {
    // ThreadSanitizer finds a race also where the threads do not meet in time, and every signal takes many times as long.
    PublisherVerification.Options(
      manyElements: hasThreadSanitizer ? 500 : 1_200, threads: 3, rounds: hasThreadSanitizer ? 2 : 4,
      deadline: .seconds(180))
  }
}
