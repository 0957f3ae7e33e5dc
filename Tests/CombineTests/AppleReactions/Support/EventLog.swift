import InterflowTestSupport
/// What happens around a publisher, one line for each event, in the order in which it happens.
final class EventLog: Sendable {
  private let events = Shared<[String]>([])

  func add(_ line: String) { events.update { $0.append(line) } }

  /// Forgets what happened so far, so that only what follows is compared.
  func clear() { events.update { $0 = [] } }

  var lines: [String] { events.value }
}
