import Synchronization

/// Says to whoever uses a connection that its work is not wanted any more. It is asked for while SQLite runs.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
