import InterflowTestSupport

/// What the consumers of one sequence were given.
final class CollectedResults: Sendable {
  private struct State {
    var taken: [[Item.Origin]] = []
    var failures = 0
    var ends = 0
  }

  private let state = Shared(State())

  func add(_ taken: [Item.Origin], failed: Bool, ended: Bool) {
    state.update {
      $0.taken.append(taken)
      if failed { $0.failures += 1 }
      if ended { $0.ends += 1 }
    }
  }

  /// What each consumer got, in its order.
  var taken: [[Item.Origin]] { state.value.taken }
  /// All of it, sorted.
  var numbers: [Int] { taken.joined().map(\.number).sorted() }
  var failures: Int { state.value.failures }
  var ends: Int { state.value.ends }
}

extension Item {
  /// What there is to know about an item when it is gone.
  struct Origin: Hashable, Sendable, CustomStringConvertible {
    let sender: Int
    let number: Int

    var description: String { "\(sender):\(number)" }
  }

  var origin: Origin { Origin(sender: sender, number: number) }
}

extension Sequence<Int> {
  /// Whether each is greater than the one before.
  var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

/// Takes what an iterator gives, until its end or until it is enough, and asks again after the end.
func take<Iterator: AsyncIteratorProtocol & SendableMetatype>(
  _ most: Int, from iterator: UncheckedBox<Iterator>, _ world: World, _ participant: Participant,
  into collected: CollectedResults
) async where Iterator.Element == Item {
  // Copies share what they take from, which is what makes it safe to use them from several tasks.
  var iterator = iterator.value
  var taken: [Item.Origin] = []
  var (failed, ended) = (false, false)
  do {
    while taken.count < most {
      guard let item = try await iterator.next(isolation: nil) else {
        ended = true
        break
      }
      participant.note("takes", item.number)
      taken.append(item.origin)
      await participant.pause()
    }
  } catch {
    participant.note("catches")
    failed = true
  }
  if ended || failed {
    do {
      let next = try await iterator.next(isolation: nil)
      world.check(next == nil, "there is a value after the end")
    } catch {
      world.fail("there is a failure after the end")
    }
  }
  collected.add(taken, failed: failed, ended: ended)
}
