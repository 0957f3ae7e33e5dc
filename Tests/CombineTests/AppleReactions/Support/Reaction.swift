import Combine
import Testing

/// How a publisher reacts to something that is done to it: a row of the table.
struct Reaction: Sendable, CustomTestStringConvertible {
  /// What comes of it.
  enum Outcome: Sendable {
    /// These lines of the log.
    case lines([String])
    /// The process stops, with a message that contains this.
    case traps(String)
  }

  /// Where Apple's Combine does something else.
  struct Departure: Sendable {
    /// What Apple's does.
    let apples: String
    /// Why a program is better off with what is done here.
    let reason: String

    init(apples: String, because reason: String) {
      self.apples = apples
      self.reason = reason
    }
  }

  /// The publisher's type in the listing of the API: `Publishers.Filter`.
  let publisher: String
  /// What is done; with the publisher it names the row, so there is no other of the same.
  let situation: String
  let outcome: Outcome
  let departure: Departure?
  let run: @Sendable (EventLog) -> Void

  /// A row of what is recorded of Apple's Combine, or of a departure from it.
  ///
  /// ```swift
  /// Reaction("Publishers.IgnoreOutput", "passes requests up", ["upstream: request max(2)"]) { log in
  ///   let stream = LoggedStream(log) { $0.ignoreOutput() }
  ///   log.clear()
  ///   stream.request(.max(2))
  /// }
  /// ```
  init(
    _ publisher: String, _ situation: String, _ outcome: Outcome, departure: Departure? = nil,
    run: @escaping @Sendable (EventLog) -> Void
  ) {
    self.publisher = publisher
    self.situation = situation
    self.outcome = outcome
    self.departure = departure
    self.run = run
  }

  init(
    _ publisher: String, _ situation: String, _ lines: [String], departure: Departure? = nil,
    run: @escaping @Sendable (EventLog) -> Void
  ) {
    self.init(publisher, situation, .lines(lines), departure: departure, run: run)
  }

  var testDescription: String { "\(publisher): \(situation)" }
}
