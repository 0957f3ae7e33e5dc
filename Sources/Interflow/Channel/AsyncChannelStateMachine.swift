import Combine
import InterflowPrimitives

/// The state of a channel: the senders that wait for demand, the members (its subscribers), and whether a thread
/// delivers.
///
/// A value is delivered when there are members, and all of them have demand. The completion is delivered when no sender
/// is left. One thread at a time delivers, so members receive one signal at a time.
struct AsyncChannelStateMachine {
  typealias Sender = AsyncChannelSender
  typealias Member = AsyncChannelMember
  typealias Completion = Subscribers.Completion<any Error>

  /// What the delivering thread does next.
  enum Step {
    case stop
    case deliver(Sender, to: [Member])
    case complete(Completion, of: [Member])
  }

  /// In the order in which they subscribed.
  private(set) var members: [Member] = []

  /// In the order of their calls. Withdrawn senders are skipped, and removed when they are more than half.
  private(set) var senders = RingBuffer<Sender>()
  private var withdrawnCount = 0

  /// The completion, once it has been sent; it is delivered when no sender waits.
  private(set) var completion: Completion?
  private(set) var isFinished = false
  private(set) var isDelivering = false

  /// Whether there are members, and all of them have demand.
  private var isReady: Bool {
    !members.isEmpty && members.allSatisfy({ $0.isReady })
  }

  // MARK: Senders

  /// A value was sent.
  ///
  /// - Returns: Whether it was queued; `false` if the completion has been sent.
  mutating func sent(_ sender: Sender) -> Bool {
    guard completion == nil else { return false }
    senders.append(sender)
    return true
  }

  /// A sender's task was cancelled.
  ///
  /// - Returns: Whether it was still in the queue, so that its value will not be delivered.
  mutating func withdrew(_ sender: Sender) -> Bool {
    guard sender.isWaiting else {
      sender.isCancelled = true
      return false
    }
    sender.isWaiting = false
    withdrawnCount += 1
    if withdrawnCount * 2 > senders.count { removeWithdrawn() }
    return true
  }

  /// A value was received by nobody, because all members had left: it is the next to be delivered.
  ///
  /// - Returns: Whether the sender waits again; not if its task was cancelled meanwhile.
  mutating func putBack(_ sender: Sender) -> Bool {
    if sender.isCancelled { return false }
    sender.isWaiting = true
    senders.insert(sender, before: { _, _ in true })
    return true
  }

  private mutating func removeWithdrawn() {
    var waiting = RingBuffer<Sender>()
    while let sender = senders.popFirst() {
      if sender.isWaiting { waiting.append(sender) }
    }
    senders = waiting
    withdrawnCount = 0
  }

  /// The completion was sent. A second one is ignored.
  mutating func completed(_ completion: Completion) {
    if self.completion == nil { self.completion = completion }
  }

  // MARK: Members

  /// A subscriber was attached.
  ///
  /// - Returns: The completion, if it has been delivered already.
  mutating func joined(_ member: Member) -> Completion? {
    if isFinished { return completion }
    members.append(member)
    return nil
  }

  /// A subscriber has cancelled.
  ///
  /// - Returns: Whether it was a member.
  mutating func left(_ member: Member) -> Bool {
    guard let index = members.firstIndex(where: { $0 === member }) else { return false }
    members.remove(at: index)
    return true
  }

  /// The channel was deallocated, so nothing more will be sent.
  ///
  /// - Returns: The previous members; none if a completion is still to be delivered.
  mutating func abandoned() -> [Member] {
    if completion != nil { return [] }
    let old = members
    members = []
    return old
  }

  // MARK: Delivery

  /// Something has changed.
  ///
  /// - Returns: Whether the caller delivers: takes steps until `stop`. Not if another thread does already.
  mutating func beginsDelivery() -> Bool {
    if isDelivering { return false }
    isDelivering = true
    return true
  }

  /// The delivering thread has delivered a value.
  ///
  /// - Returns: The sender whose value can be delivered next, if there is one. The caller stops delivering, and resumes
  ///   that sender's task to continue.
  mutating func nextDeliverer() -> Sender? {
    guard isReady else { return nil }
    while let next = senders.first {
      if next.isWaiting {
        isDelivering = false
        return next
      }
      _ = senders.popFirst()
      withdrawnCount -= 1
    }
    return nil
  }

  /// What the delivering thread does next.
  mutating func nextStep() -> Step {
    if isReady {
      while let sender = senders.popFirst() {
        guard sender.isWaiting else {
          withdrawnCount -= 1
          continue
        }
        sender.isWaiting = false
        for member in members { member.demand -= 1 }
        return .deliver(sender, to: members)
      }
    }
    if let completion, !isFinished, senders.count == withdrawnCount, members.allSatisfy({ $0.isOpen }) {
      isFinished = true
      let members = members
      self.members = []
      return .complete(completion, of: members)
    }
    isDelivering = false
    return .stop
  }
}
