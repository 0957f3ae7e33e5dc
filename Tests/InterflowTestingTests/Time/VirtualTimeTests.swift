import InterflowTesting
import Testing

@Suite struct VirtualTimeTests {
  @Test func literalsAreSeconds() {
    #expect(VirtualTime.Stride.seconds(2) == 2)
    #expect(VirtualTime.Stride.milliseconds(1_500) == 1.5)
    #expect(VirtualTime.Stride.microseconds(3) == VirtualTime.Stride(nanoseconds: 3_000))
    #expect((2 as VirtualTime).nanoseconds == 2_000_000_000)
    #expect((0.25 as VirtualTime).seconds == 0.25)
  }

  @Test func distancesAndPointsAgree() {
    let (start, end): (VirtualTime, VirtualTime) = (1.5, 4)
    #expect(start.distance(to: end) == 2.5)
    #expect(start.advanced(by: .milliseconds(2_500)) == end)
    #expect(end.distance(to: start) == -2.5)
    #expect(start < end)
    #expect(end.duration(to: start) == .milliseconds(-2_500))
    #expect(start.advanced(by: Duration.seconds(1)) == 2.5)
  }

  @Test func durationsAreRoundedUp() {
    #expect(VirtualTime.Stride(.nanoseconds(7)) == .nanoseconds(7))
    #expect(VirtualTime.Stride(Duration(secondsComponent: 1, attosecondsComponent: 1)) == .nanoseconds(1_000_000_001))
    #expect(VirtualTime.Stride.milliseconds(3).duration == .milliseconds(3))
    #expect(VirtualTime.Stride(.seconds(Int64.max)) == .nanoseconds(.max))
  }

  @Test func arithmeticStopsAtTheLongest() {
    let longest = VirtualTime.Stride(nanoseconds: .max)
    #expect(longest + 1 == longest)
    #expect(-longest - 1 == .nanoseconds(.min))
    #expect(longest * 2 == longest)
    #expect(VirtualTime.Stride.seconds(Int.max) == longest)
    #expect(VirtualTime.Stride.seconds(-1e300) == .nanoseconds(.min))
    #expect(VirtualTime(nanoseconds: .max).advanced(by: 1) == VirtualTime(nanoseconds: .max))
  }

  @Test func descriptionsAreExact() {
    #expect("\(VirtualTime.zero)" == "0 s")
    #expect("\(VirtualTime(nanoseconds: 1_000_000_001))" == "1.000000001 s")
    #expect("\(VirtualTime.Stride(-0.5))" == "-0.5 s")
    #expect("\(VirtualTime.Stride(120))" == "120 s")
  }
}
