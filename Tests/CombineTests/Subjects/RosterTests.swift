import InterflowTestSupport
import Testing

@testable import Combine

@Suite("Roster")
struct RosterTests {
  @Test func aRosterKeepsTheOrderOfItsMembersAndReleasesThem() {
    final class Member: RosterMember {
      let token: LifetimeCounter.Token
      init(_ token: LifetimeCounter.Token) { self.token = token }
    }
    for seed in 0..<20 {
      let lifetime = LifetimeCounter()
      var random = Random(UInt64(seed))
      var roster = Roster()
      var model: [Member] = []
      for _ in 0..<300 {
        if model.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
          let member = Member(lifetime.make())
          roster.append(member)
          model.append(member)
        } else {
          let member = model.remove(at: Int.random(in: 0..<model.count, using: &random))
          roster.remove(member)?.release()
          #expect(roster.remove(member) == nil)
        }
        let members = (0..<roster.count).compactMap { roster[$0]?.takeUnretainedValue() }
        #expect(members.map(ObjectIdentifier.init) == model.map(ObjectIdentifier.init))
        #expect(roster.count <= max(1, 2 * model.count))
      }
      model = []
      roster.deallocate()
      #expect(lifetime.count == 0)
    }
  }
}
