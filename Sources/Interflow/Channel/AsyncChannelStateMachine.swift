import Combine
import InterflowPrimitives

/// Who waits at a channel: senders for subscribers, subscribers for values; and whose turn it is.
///
/// A value goes out in a round: when nobody delivers, there is a member, and every member has demand. The completion
/// goes out when no sender is left. One caller at a time runs rounds, so members see one signal at a time.
struct AsyncChannelStateMachine {
  typealias Sender = AsyncChannelSender
  typealias Member = AsyncChannelMember
  typealias Completion = Subscribers.Completion<any Error>

  /// What the one who runs has to do next.
  enum Step {
    case rest
    case deliver(Sender, to: [Member])
    case complete(Completion, of: [Member])
  }

  /// In the order in which they subscribed.
  private(set) var members: [Member] = []

  /// In the order in which they came. Those who have withdrawn are passed over, and swept out when they are the most.
  private(set) var senders = RingBuffer<Sender>()
  private var withdrawn = 0

  /// The completion, once it has been sent; it goes out when no sender waits.
  private(set) var completion: Completion?
  private(set) var isFinished = false
  private(set) var isRunning = false

  /// Whether a value that came now would go out now.
  private var isReady: Bool {
    !members.isEmpty && members.allSatisfy({ $0.isReady })
  }

  // MARK: Senders

  /// A value is to be sent.
  ///
  /// - Returns: Whether it was queued; not where the completion has been sent.
  mutating func sent(_ sender: Sender) -> Bool {
    guard completion == nil else { return false }
    senders.append(sender)
    return true
  }

  /// A sender does not want to wait any longer.
  ///
  /// - Returns: Whether it still waited, so that its value will not be delivered.
  mutating func withdrew(_ sender: Sender) -> Bool {
    guard sender.isWaiting else { return false }
    sender.isWaiting = false
    withdrawn += 1
    if withdrawn * 2 > senders.count { sweep() }
    return true
  }

  private mutating func sweep() {
    var kept = RingBuffer<Sender>()
    while let sender = senders.popFirst() {
      if sender.isWaiting { kept.append(sender) }
    }
    senders = kept
    withdrawn = 0
  }

  /// The completion is to be sent. A second one is ignored.
  mutating func completed(_ completion: Completion) {
    if self.completion == nil { self.completion = completion }
  }

  // MARK: Members

  /// Somebody subscribes.
  ///
  /// - Returns: The completion, where that is all there is left to tell.
  mutating func joined(_ member: Member) -> Completion? {
    if isFinished { return completion }
    members.append(member)
    return nil
  }

  /// A member is to get nothing more.
  ///
  /// - Returns: Whether it was a member.
  mutating func left(_ member: Member) -> Bool {
    guard let index = members.firstIndex(where: { $0 === member }) else { return false }
    members.remove(at: index)
    return true
  }

  /// Nobody is left who could send.
  ///
  /// - Returns: Those who were members, unless they have a completion to come.
  mutating func abandoned() -> [Member] {
    if completion != nil { return [] }
    let old = members
    members = []
    return old
  }

  // MARK: Rounds

  /// Something has changed.
  ///
  /// - Returns: Whether the caller is to run, which means to take steps until there is none.
  mutating func mayRun() -> Bool {
    if isRunning { return false }
    isRunning = true
    return true
  }

  /// A value has been delivered, by the one who runs.
  ///
  /// - Returns: The sender whose value can go out next, if there is one: the caller does not run any more, and tells
  ///   it.
  mutating func handsOver() -> Sender? {
    guard isReady else { return nil }
    while let next = senders.first {
      if next.isWaiting {
        isRunning = false
        return next
      }
      _ = senders.popFirst()
      withdrawn -= 1
    }
    return nil
  }

  /// What comes next, for the one who runs.
  mutating func nextStep() -> Step {
    if isReady {
      while let sender = senders.popFirst() {
        guard sender.isWaiting else {
          withdrawn -= 1
          continue
        }
        sender.isWaiting = false
        for member in members { member.demand -= 1 }
        return .deliver(sender, to: members)
      }
    }
    if let completion, !isFinished, senders.count == withdrawn, members.allSatisfy({ $0.isOpen }) {
      isFinished = true
      let members = members
      self.members = []
      return .complete(completion, of: members)
    }
    isRunning = false
    return .rest
  }
}
