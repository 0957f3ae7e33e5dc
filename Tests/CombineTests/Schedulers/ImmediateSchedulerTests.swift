import Combine
import Foundation
import Testing

@Suite struct ImmediateSchedulerTests {
  typealias Stride = ImmediateScheduler.SchedulerTimeType.Stride

  private let scheduler = ImmediateScheduler.shared

  @Test func everythingRunsAtOnce() {
    var log: [String] = []
    scheduler.schedule {
      log.append("outer")
      scheduler.schedule { log.append("inner") }
      log.append("end")
    }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(100))) { log.append("later") }
    let repetition = scheduler.schedule(after: scheduler.now, interval: 1, tolerance: 0) { log.append("repeated") }
    #expect(log == ["outer", "inner", "end", "later", "repeated"])
    repetition.cancel()
  }

  @Test func timeStandsStill() {
    let now = scheduler.now
    #expect(now.advanced(by: 10) == now)
    #expect(now.distance(to: now.advanced(by: 10)) == 0)
    #expect(scheduler.minimumTolerance == 0)
    #expect(Stride.seconds(1) == 0 && Stride.seconds(1.5) == 0 && Stride.milliseconds(1) == 0)
    #expect(Stride.microseconds(1) == 0 && Stride.nanoseconds(1) == 0)
  }

  @Test func stridesAreNumbers() throws {
    #expect(Stride(3) + 4 == 7)
    #expect(Stride(3) - 4 == -1)
    #expect(Stride(3) * 4 == 12)
    var stride: Stride = 2
    stride += 3
    stride *= 4
    stride -= 1
    #expect(stride.magnitude == 19)
    #expect(Stride(1) < 2)
    #expect(2.9 as Stride == 2)
    #expect(Stride(exactly: 5 as UInt8) == 5)
    #expect(Stride(exactly: UInt64.max) == nil)
    let coded = try JSONDecoder().decode(Stride.self, from: JSONEncoder().encode(stride))
    #expect(coded == stride)
  }
}
