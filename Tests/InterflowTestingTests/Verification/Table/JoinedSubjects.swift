import InterflowTesting

/// Operators whose upstreams are several subjects, each of which one thread sends to while another's value is taken.
let joinedSubjects: [VerificationRow] = merged + paired + inner

private typealias Numbers = PassthroughSubject<Int, Broken>

private let onlySending: Facts = {
  var facts = Facts.dropping
  facts.rules = [.sendDuringASignalWaits]
  return facts
}()

private let merged: [VerificationRow] = [
  joined("Publishers.Merge", 2) { $0[0].merge(with: $0[1]) },
  joined("Publishers.Merge3", 3) { $0[0].merge(with: $0[1], $0[2]) },
  joined("Publishers.Merge4", 4) { $0[0].merge(with: $0[1], $0[2], $0[3]) },
  joined("Publishers.Merge5", 5) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4]) },
  joined("Publishers.Merge6", 6) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5]) },
  joined("Publishers.Merge7", 7) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) },
  joined("Publishers.Merge8", 8) { $0[0].merge(with: $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) },
  joined("Publishers.MergeMany", 4) { Publishers.MergeMany($0) },
]

private let paired: [VerificationRow] = [
  joined("Publishers.Zip", 2, together: true) { $0[0].zip($0[1]) },
  joined("Publishers.Zip3", 3, together: true) { $0[0].zip($0[1], $0[2]) },
  joined("Publishers.Zip4", 4, together: true) { $0[0].zip($0[1], $0[2], $0[3]) },
  joined("Publishers.CombineLatest", 2) { $0[0].prepend(0).combineLatest($0[1].prepend(0)) },
  joined("Publishers.CombineLatest3", 3) {
    $0[0].prepend(0).combineLatest($0[1].prepend(0), $0[2].prepend(0))
  },
  joined("Publishers.CombineLatest4", 4) {
    $0[0].prepend(0).combineLatest($0[1].prepend(0), $0[2].prepend(0), $0[3].prepend(0))
  },
]

private let inner: [VerificationRow] = [
  joined("Publishers.FlatMap", 2) { $0.publisher.setFailureType(to: Broken.self).flatMap { $0 } },
  VerificationRow("Publishers.FlatMap", "of what it maps and a new one", onlySending) { _ in
    let inner = Numbers()
    let outer = CurrentValueSubject<Upstream, Broken>(inner.eraseToAnyPublisher())
    return switching(outer.flatMap { $0 }, outer, inner)
  },
  VerificationRow("Publishers.SwitchToLatest", "from the latest to a new one", onlySending) { _ in
    let inner = Numbers()
    let outer = CurrentValueSubject<Upstream, Broken>(inner.eraseToAnyPublisher())
    return switching(outer.switchToLatest(), outer, inner)
  },
]

/// An operator on so many subjects.
///
/// - Parameter together: Whether it takes a value of each for one, rather than a value of any.
private func joined<P: Publisher>(
  _ type: String, _ count: Int, together: Bool = false, make: @escaping @Sendable ([Numbers]) -> P
) -> VerificationRow {
  let made = Sending<([Numbers], @escaping @Sendable () -> Void) -> PublisherUnderTest> {
    PublisherUnderTest(make($0), send: $1)
  }
  return VerificationRow(type, "on several subjects", onlySending) { _ in
    let (subjects, turns) = ((0..<count).map { _ in Numbers() }, Turns())
    return made.value(subjects) {
      let turn = turns.next()
      if together {
        for subject in subjects { subject.send(turn) }
      } else {
        subjects[turn % count].send(turn)
      }
    }
  }
}

/// Sends the first value from within, and then a publisher of one value each time.
private func switching<P: Publisher>(
  _ publisher: P, _ outer: CurrentValueSubject<Upstream, Broken>, _ inner: Numbers
) -> PublisherUnderTest {
  let (outer, turns) = (Sending(outer), Turns())
  return PublisherUnderTest(
    publisher,
    send: {
      let turn = turns.next()
      if turn == 0 { return inner.send(turn) }
      outer.value.send(Just(turn).setFailureType(to: Broken.self).eraseToAnyPublisher())
    })
}
