@testable import InterflowNATS
import Testing

@Suite struct DurationTests {
  @Test func nanosecondsAreExactOrTheMost() {
    #expect(Duration.nanoseconds(1).nanoseconds == 1)
    #expect((Duration.seconds(3) + .nanoseconds(5)).nanoseconds == 3_000_000_005)
    #expect(Duration.seconds(-2).nanoseconds == -2_000_000_000)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
  }

  @Test func millisecondsAreAtLeastOneAndAtMostTheMost() {
    #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
    #expect(Duration.zero.milliseconds == 1)
    #expect(Duration.microseconds(10).milliseconds == 1)
    #expect(Duration.seconds(Int64.max).milliseconds == .max)
    #expect(Duration.seconds(-5).milliseconds == 1)
  }
}
