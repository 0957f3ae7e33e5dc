import InterflowTestSupport
import Testing

@testable import Combine

@Suite("SubscriberList")
struct SubscriberListTests {
  @Test func keepsTheOrderOfItsEntriesAndReleasesThem() {
    final class Member: SubscriberListEntry {
      let token: LifetimeCounter.Token
      init(_ token: LifetimeCounter.Token) { self.token = token }
    }
    for seed in 0..<20 {
      let lifetime = LifetimeCounter()
      var random = Random(UInt64(seed))
      var list = SubscriberList()
      var model: [Member] = []
      for _ in 0..<300 {
        if model.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
          let member = Member(lifetime.make())
          list.append(member)
          model.append(member)
        } else {
          let member = model.remove(at: Int.random(in: 0..<model.count, using: &random))
          list.remove(member)?.release()
          #expect(list.remove(member) == nil)
        }
        let members = (0..<list.count).compactMap { list[$0]?.takeUnretainedValue() }
        #expect(members.map(ObjectIdentifier.init) == model.map(ObjectIdentifier.init))
        #expect(list.count <= max(1, 2 * model.count))
      }
      model = []
      list.deallocate()
      #expect(lifetime.count == 0)
    }
  }
}
