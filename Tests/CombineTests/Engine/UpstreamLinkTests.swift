import InterflowTestSupport
import Testing

@testable import Combine

@Suite("UpstreamLink")
struct UpstreamLinkTests {
  final class Probe: Subscription {
    let log = Shared<[String]>([])
    func request(_ demand: Subscribers.Demand) { log.update { $0.append("\(demand)") } }
    func cancel() { log.update { $0.append("cancel") } }
  }

  @Test func forwardsWhatIsAskedOnceLinked() {
    let link = UpstreamLink("Test")
    let upstream = Probe()
    link.request(.max(1))
    #expect(!link.isLinked && !link.hasEnded)
    #expect(link.link(upstream))
    #expect(link.isLinked)
    link.request(.max(2))
    link.cancel()
    link.cancel()
    link.request(.max(3))
    #expect(upstream.log.value == ["max(2)", "cancel"])
    #expect(link.hasEnded)
  }

  @Test func cancelsASecondSubscriptionAndOneThatIsLate() {
    let link = UpstreamLink("Test")
    let (first, second, third) = (Probe(), Probe(), Probe())
    #expect(link.link(first))
    #expect(!link.link(second))
    #expect(link.finish())
    #expect(!link.link(third))
    #expect(first.log.value == [])
    #expect(second.log.value == ["cancel"])
    #expect(third.log.value == ["cancel"])
  }

  @Test func saysWhetherItWasLinkedWhenItEnds() {
    let early = UpstreamLink("Test")
    // A completion before the subscription counts for nothing, unless the caller says otherwise.
    #expect(!early.finish())
    #expect(!early.hasEnded)
    #expect(early.finish(from: .notEnded))
    #expect(!early.finish(from: .notEnded))
    #expect(early.sever() == .ended)
    let linked = UpstreamLink("Test")
    _ = linked.link(Probe())
    #expect(linked.sever(from: .waiting) == .linked && linked.isLinked)
    #expect(linked.sever() == .linked)
    #expect(linked.sever() == .ended)
    #expect(!linked.finish())
    #expect(UpstreamLink("Test").sever() == .waiting)
  }

  @Test func letsGoOfUpstreamAtTheEnd() {
    for ends in [0, 1] {
      let link = UpstreamLink("Test")
      weak var weakProbe: Probe?
      do {
        let probe = Probe()
        weakProbe = probe
        _ = link.link(probe)
      }
      #expect(weakProbe != nil)
      if ends == 0 { link.cancel() } else { _ = link.finish() }
      #expect(weakProbe == nil)
    }
  }

  @Test func exactlyOneOfTwoEndsWins() {
    for _ in 0..<200 {
      let link = UncheckedBox(UpstreamLink("Test"))
      let probe = Probe()
      _ = link.value.link(probe)
      let wins = Shared(0)
      inParallel(2) { thread in
        if thread == 0 ? link.value.finish() : link.value.sever() == .linked { wins.update { $0 += 1 } }
      }
      #expect(wins.value == 1)
      #expect(probe.log.value.count <= 1)
    }
  }

  @Test func describesItself() {
    let link = UpstreamLink("Name")
    #expect(link.description == "Name")
    #expect(link.playgroundDescription as? String == "Name")
  }

  @Test func aResultWaitsForTheRequestAndComesOnce() {
    var delivered = 0
    let link = ResultLink("Test")
    link.offer { _ in delivered += 1 }
    #expect(delivered == 0)
    link.request(.max(1))
    link.request(.max(1))
    #expect(delivered == 1)

    let asked = ResultLink("Test")
    asked.request(.max(1))
    asked.offer { _ in delivered += 1 }
    asked.offer { _ in delivered += 1 }
    #expect(delivered == 2)

    let cancelled = ResultLink("Test")
    cancelled.offer { _ in delivered += 1 }
    cancelled.cancel()
    cancelled.request(.max(1))
    #expect(delivered == 2)
    #expect(!cancelled.close())
  }
}
