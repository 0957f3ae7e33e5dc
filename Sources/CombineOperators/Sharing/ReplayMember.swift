import Combine
import InterflowPrimitives

/// A subscriber of a ``ReplaySubject``, without its types, as the subject's list has it.
@usableFromInline
class ReplayEntry: SubscriberListEntry {
  @usableFromInline @exclusivity(unchecked) final var place: Int32 = -1

  @usableFromInline
  init() {}
}

/// A subscriber of a ``ReplaySubject``, without its type.
@usableFromInline
class ReplayMember<Output, Failure: Error>: ReplayEntry {
  @usableFromInline typealias Completion = Subscribers.Completion<Failure>

  // Formed where the subscriber's type is known, so that they are specialised. They capture nothing.
  @usableFromInline final let deliver: (ReplayMember, Output) -> Void
  @usableFromInline final let finish: (ReplayMember, Completion) -> Void

  @inlinable
  init(deliver: @escaping (ReplayMember, Output) -> Void, finish: @escaping (ReplayMember, Completion) -> Void) {
    self.deliver = deliver
    self.finish = finish
  }
}

/// A subscriber of a ``ReplaySubject``. Signals are sent to it with the subject's turn.
@usableFromInline
final class ReplayMemberOf<Downstream: Subscriber>: ReplayMember<Downstream.Input, Downstream.Failure> {
  @usableFromInline let subscriber: Downstream
  @usableFromInline let delivery: Delivery<NoValues, Downstream>

  // With the subject's turn: whether the subscriber has requested everything, and nothing is buffered.
  @usableFromInline @exclusivity(unchecked) var isDirect = false

  @inlinable
  init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    delivery = Delivery(subscriber, "ReplaySubject", NoValues())
    super.init(
      deliver: { unsafeDowncast($0, to: ReplayMemberOf.self).send($1) },
      finish: { member, completion in
        let delivery = unsafeDowncast(member, to: ReplayMemberOf.self).delivery
        // A subscriber that has cancelled may still be in the list while another thread calls it: nobody waits for that.
        if delivery.isAccepting { delivery.withTurn { $0.finish(completion) } }
      })
  }

  /// A subscriber that has requested everything receives values from the subject's senders alone, which have its turn,
  /// so there is nothing to wait for.
  @inlinable
  @inline(__always)
  func send(_ value: Downstream.Input) {
    if !isDirect {
      isDirect = delivery.sendAndDrain(value)
    } else if delivery.core.demand.allowsAllElements {
      _ = subscriber.receive(value)
    }
  }
}
