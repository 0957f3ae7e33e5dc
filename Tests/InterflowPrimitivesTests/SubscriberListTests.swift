import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite("SubscriberList")
struct SubscriberListTests {
  private final class Member: SubscriberListEntry {
    var place: Int32 = -1
    let token: LifetimeCounter.Token

    init(_ token: LifetimeCounter.Token) { self.token = token }
  }

  @Test(arguments: 0..<20)
  func keepsTheOrderOfItsEntriesAndReleasesThem(seed: Int) {
    let lifetime = LifetimeCounter()
    var random = Random(UInt64(seed))
    var list = SubscriberList<Member>()
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
      #expect(lifetime.count == model.count)
    }
    model = []
    list.deallocate()
    #expect(lifetime.count == 0)
  }

  @Test func allAreTakenOutTogether() {
    let lifetime = LifetimeCounter()
    var list = SubscriberList<Member>()
    var members = (0..<3).map { _ in Member(lifetime.make()) }
    for member in members { list.append(member) }
    let taken = list.takeAll()
    #expect(list.count == 0)
    for member in members { #expect(list.remove(member) == nil) }
    list.append(members[1])
    #expect(list[0]?.takeUnretainedValue() === members[1])
    members = []
    taken.deallocate()
    #expect(lifetime.count == 1)
    list.deallocate()
    #expect(lifetime.count == 0)
  }
}
