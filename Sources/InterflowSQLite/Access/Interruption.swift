import Synchronization

/// Says that the work of a connection has been cancelled. SQLite looks at it while a statement runs.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
