// Several threads and tasks at work in what the package offers. There is no race in it, so ThreadSanitizer has nothing
// to report, but with the argument `race`, which shows that the sanitizer is at work.

import Interflow

@main
enum Main {
  static func main() async throws {
    if CommandLine.arguments.contains("race") { return print("a race:", await sumWithRace()) }
    print("subjects:", await sumOfSubjects())
    print("merged publishers:", await sumOfMergedPublishers())
    print("a channel:", try await sumOfChannel())
    print("tasks:", await sumOfTasks())
    print("futures:", await sumOfFutures())
    print("a stream:", await sumOfStream())
    print("a sequence's publisher:", await sumOfSequencePublisher())
    print("merged sequences:", await sumOfMergedSequences())
    print("shared sequences:", await sumOfSharedSequence())
    #if SQLITE
      print("an observed query:", try await sumOfObservedQuery())
    #endif
  }
}
