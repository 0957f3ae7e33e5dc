import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct RelaysMarbleTests {
  private let timeline = TestTimeline()

  @Test(arguments: ["za-b-c---", "--(^a)b-c---"])
  func currentValueRelayDeliversTheLatestValueFirst(output: String) throws {
    let relay = CurrentValueRelay("z")
    let cancellable = try timeline.hot("-a-b-c|").subscribe(relay)
    try timeline.expect(relay, toEmit: output)
    withExtendedLifetime(cancellable) {}
  }

  @Test func passthroughRelayStoresNothing() throws {
    let relay = PassthroughRelay<String>()
    let cancellable = try timeline.hot("-a--b-c|").subscribe(relay)
    try timeline.expect(relay, toEmit: "--^-b-c--")
    withExtendedLifetime(cancellable) {}
  }
}
