import Combine

/// What a subscriber has received and requested, and which rules that breaks.
///
/// A value, without threads: the caller passes the thread of each signal.
struct ProbeLedger {
  typealias Rule = PublisherVerification.Rule

  enum Signal {
    case subscription
    case value
    case end
  }

  struct Breach: Equatable {
    let rule: Rule
    let message: String
  }

  private(set) var subscriptions = 0
  private(set) var requested = Subscribers.Demand.none
  private(set) var received = 0
  private(set) var ends = 0

  /// Whether a cancellation has returned.
  private(set) var isCancelled = false

  /// How many signals have been delivered since then, and how many of them on the thread that cancelled first.
  private(set) var signalsAfterCancel = 0
  private(set) var signalsAfterCancelOnSameThread = 0
  private var cancellingThread: UInt = 0

  /// How many signals have begun.
  private(set) var signals = 0

  /// The stack size between the deepest signal and the shallowest of the same thread.
  private(set) var stackGrowth: UInt = 0

  /// The rule that any further signal breaks.
  private var silence: Rule?

  /// The signals that have not returned yet, by thread.
  private var running: [UInt: [Signal]] = [:]
  private var stack: [UInt: (lowest: UInt, highest: UInt)] = [:]

  /// Whether another thread has requested values during `receive(subscription:)`, and may receive them then.
  private var allowsOverlap = false

  private var isTakingSubscription: Bool { running.values.contains { $0.contains(.subscription) } }

  /// A signal begins.
  ///
  /// - Returns: The rules that it breaks.
  mutating func begins(_ signal: Signal, on thread: UInt, stack address: UInt) -> [Breach] {
    var breaches: [Breach] = []
    func breach(_ rule: Rule, _ message: String) { breaches.append(Breach(rule: rule, message: message)) }

    for (other, signals) in running where other != thread {
      if !signals.contains(.subscription) {
        breach(.signalsAreSerial, "a signal came while another thread's had not returned")
      } else if !allowsOverlap {
        breach(.signalsWaitForTheSubscription, "a signal came while receive(subscription:) had not returned")
      }
    }
    running[thread, default: []].append(signal)
    signals += 1
    let bounds = stack[thread] ?? (address, address)
    let (lowest, highest) = (min(bounds.lowest, address), max(bounds.highest, address))
    stack[thread] = (lowest, highest)
    stackGrowth = max(stackGrowth, highest - lowest)

    if isCancelled {
      signalsAfterCancel += 1
      if thread == cancellingThread { signalsAfterCancelOnSameThread += 1 }
    }
    if let silence { breach(silence, "a signal came where none may") }
    switch signal {
    case .subscription:
      subscriptions += 1
      if subscriptions > 1 { breach(.subscriptionComesOnce, "subscription number \(subscriptions) came") }
    case .value:
      received += 1
      if subscriptions == 0 { breach(.subscriptionComesFirst, "a value came before the subscription") }
      if ends > 0 { breach(.nothingFollowsTheEnd, "a value came after the completion") }
      if requested < received {
        breach(.valuesNeverExceedDemand, "value number \(received) came where \(requested) were requested")
      }
    case .end:
      ends += 1
      if subscriptions == 0 { breach(.subscriptionComesFirst, "a completion came before the subscription") }
      if ends > 1 { breach(.endComesOnce, "completion number \(ends) came") }
    }
    return breaches
  }

  /// How many signals of a kind have begun.
  func count(of signal: Signal) -> Int {
    switch signal {
    case .subscription: subscriptions
    case .value: received
    case .end: ends
    }
  }

  /// The latest signal on a thread is about to return demand.
  mutating func returns(_ more: Subscribers.Demand, on thread: UInt) {
    requested += more
    _ = running[thread]?.popLast()
    if running[thread]?.isEmpty == true { running[thread] = nil }
  }

  /// Values are about to be requested.
  mutating func requests(_ demand: Subscribers.Demand, on thread: UInt) {
    requested += demand
    if isTakingSubscription, running[thread] == nil { allowsOverlap = true }
  }

  /// A cancellation has returned; another thread may still deliver a signal.
  mutating func cancelled(on thread: UInt) {
    if !isCancelled { cancellingThread = thread }
    isCancelled = true
  }

  /// From now on any signal breaks a rule.
  mutating func expectsSilence(under rule: Rule) {
    if silence == nil { silence = rule }
  }
}
