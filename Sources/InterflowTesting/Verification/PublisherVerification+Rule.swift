extension PublisherVerification {
  /// A rule for publishers.
  ///
  /// The raw value is the rule's identifier: `PV` and a number (signals 1xx, demand 2xx, cancellation 3xx, release 4xx,
  /// call-outs 5xx), and a short name.
  public enum Rule: String, CaseIterable, Sendable {
    /// A subscriber receives its subscription before anything else.
    case subscriptionComesFirst = "PV101_subscriptionComesFirst"
    /// A subscriber gets one subscription.
    case subscriptionComesOnce = "PV102_subscriptionComesOnce"
    /// No two threads are inside a subscriber's methods at once.
    case signalsAreSerial = "PV103_signalsAreSerial"
    /// No other thread delivers while the subscriber still takes its subscription.
    case signalsWaitForTheSubscription = "PV104_signalsWaitForTheSubscription"
    /// Unlimited demand brings every value, and then the completion.
    case everythingIsDelivered = "PV105_everythingIsDelivered"
    /// There is one completion at most.
    case endComesOnce = "PV106_endComesOnce"
    /// No value follows the completion.
    case nothingFollowsTheEnd = "PV107_nothingFollowsTheEnd"
    /// A publisher without values completes without demand.
    case completionNeedsNoDemand = "PV108_completionNeedsNoDemand"
    /// A failure is delivered without demand.
    case failureNeedsNoDemand = "PV109_failureNeedsNoDemand"
    /// A publisher that fails ends with the failure, and nothing else.
    case failureEndsTheStream = "PV110_failureEndsTheStream"
    /// Several subscribers each have a subscription of their own and are each served in full.
    case eachSubscriberIsServed = "PV111_eachSubscriberIsServed"

    /// Never more values are delivered than were requested.
    case valuesNeverExceedDemand = "PV201_valuesNeverExceedDemand"
    /// Each request adds to what was requested before.
    case requestsAddUp = "PV202_requestsAddUp"
    /// What `receive(_:)` returns counts as a request.
    case returnedDemandCounts = "PV203_returnedDemandCounts"
    /// A request from inside `receive(subscription:)` counts.
    case requestInsideSubscription = "PV204_requestInsideSubscription"
    /// A request from inside `receive(_:)` counts.
    case requestInsideValue = "PV205_requestInsideValue"
    /// Values requested one at a time do not grow the stack.
    case requestsDoNotRecurse = "PV206_requestsDoNotRecurse"
    /// Requests that add up to more than can be counted are served like unlimited demand.
    case demandDoesNotOverflow = "PV207_demandDoesNotOverflow"
    /// Requests that several threads make at once all count.
    case requestsFromAnyThread = "PV208_requestsFromAnyThread"

    /// Nothing follows a cancellation from inside `receive(_:)`.
    case nothingFollowsCancel = "PV301_nothingFollowsCancel"
    /// Nothing follows a cancellation that another thread has made while `receive(_:)` ran.
    case cancelFromAnotherThread = "PV302_cancelFromAnotherThread"
    /// Nothing follows a cancellation before any request, except for a signal whose delivery has begun.
    ///
    /// After a cancellation from inside `receive(subscription:)` no signal may follow, on any thread. At a later
    /// cancellation, another thread, such as a scheduler's, may have begun to deliver: it has decided to deliver, and
    /// has not called the subscriber yet. That one signal may still follow, however late; none may follow on the
    /// cancelling thread, and no second one. Since the check cannot distinguish such a delivery from one that ignores
    /// the cancellation, it repeats the cancellation with other publishers: if a signal follows every time, the rule is
    /// broken.
    case cancelBeforeRequest = "PV303_cancelBeforeRequest"
    /// A second cancellation, and several at once, change nothing and return.
    case cancelTwice = "PV304_cancelTwice"
    /// A subscriber that cancels takes nothing from the others.
    case cancelLeavesOthersAlone = "PV305_cancelLeavesOthersAlone"
    /// A request after the cancellation does nothing.
    case requestAfterCancel = "PV306_requestAfterCancel"
    /// A request and a cancellation after the completion do nothing.
    case requestAfterEnd = "PV307_requestAfterEnd"
    /// A cancellation in the midst of values lets one signal arrive at most that was on its way.
    case cancelDuringDelivery = "PV308_cancelDuringDelivery"

    /// After the cancellation nothing refers to the subscriber.
    case releasedAfterCancel = "PV401_releasedAfterCancel"
    /// After the completion nothing refers to the subscriber.
    case releasedAfterCompletion = "PV402_releasedAfterCompletion"
    /// After the failure nothing refers to the subscriber.
    case releasedAfterFailure = "PV403_releasedAfterFailure"

    /// Another thread's request returns while a signal is being taken: no lock is held.
    case requestDuringASignal = "PV501_requestDuringASignal"
    /// Another thread's cancellation returns while a signal is being taken: no lock is held.
    case cancelDuringASignal = "PV502_cancelDuringASignal"
    /// Another thread can subscribe while a signal is being taken: no lock is held.
    case subscribeDuringASignal = "PV503_subscribeDuringASignal"
    /// Another thread's calls return while the subscriber is deallocated: no lock is held.
    case callsDuringRelease = "PV504_callsDuringRelease"
    /// A value that another thread sends while one is being received is delivered after that, on the sending thread.
    ///
    /// Checked only for a publisher with a closure that sends one value.
    case sendDuringASignalWaits = "PV505_sendDuringASignalWaits"
  }
}

extension PublisherVerification.Rule {
  /// How a rule applies.
  public enum Kind: String, Sendable {
    /// Every publisher must keep it, and the check decides.
    case required
    /// A publisher may have a reason not to keep it, which an exemption states.
    case optional
    /// Every publisher must keep it; a check that passes has found no breach in the schedules that have occurred.
    case statistical
  }

  /// How the rule applies.
  public var kind: Kind {
    switch self {
    case .signalsWaitForTheSubscription, .completionNeedsNoDemand: .optional
    case .signalsAreSerial, .requestsFromAnyThread, .cancelDuringDelivery: .statistical
    default: .required
    }
  }

  /// The rule in one sentence.
  public var summary: String {
    switch self {
    case .subscriptionComesFirst: "A subscriber receives its subscription before anything else."
    case .subscriptionComesOnce: "A subscriber gets one subscription."
    case .signalsAreSerial: "No two threads are inside a subscriber's methods at once."
    case .signalsWaitForTheSubscription: "No other thread delivers while the subscriber still takes its subscription."
    case .everythingIsDelivered: "Unlimited demand brings every value, and then the completion."
    case .endComesOnce: "There is one completion at most."
    case .nothingFollowsTheEnd: "No value follows the completion."
    case .completionNeedsNoDemand: "A publisher without values completes without demand."
    case .failureNeedsNoDemand: "A failure is delivered without demand."
    case .failureEndsTheStream: "A publisher that fails ends with the failure, and nothing else."
    case .eachSubscriberIsServed: "Several subscribers each have a subscription of their own and are served in full."
    case .valuesNeverExceedDemand: "Never more values are delivered than were requested."
    case .requestsAddUp: "Each request adds to what was requested before."
    case .returnedDemandCounts: "What receive(_:) returns counts as a request."
    case .requestInsideSubscription: "A request from inside receive(subscription:) counts."
    case .requestInsideValue: "A request from inside receive(_:) counts."
    case .requestsDoNotRecurse: "Values requested one at a time do not grow the stack."
    case .demandDoesNotOverflow: "Requests that add up to more than can be counted are served like unlimited demand."
    case .requestsFromAnyThread: "Requests that several threads make at once all count."
    case .nothingFollowsCancel: "Nothing follows a cancellation from inside receive(_:)."
    case .cancelFromAnotherThread: "Nothing follows a cancellation that another thread has made while receive(_:) ran."
    case .cancelBeforeRequest: "Nothing but a signal on its way follows a cancellation that came before any request."
    case .cancelTwice: "A second cancellation, and several at once, change nothing and return."
    case .cancelLeavesOthersAlone: "A subscriber that cancels takes nothing from the others."
    case .requestAfterCancel: "A request after the cancellation does nothing."
    case .requestAfterEnd: "A request and a cancellation after the completion do nothing."
    case .cancelDuringDelivery: "A cancellation in the midst of values lets one signal arrive at most."
    case .releasedAfterCancel: "After the cancellation nothing refers to the subscriber."
    case .releasedAfterCompletion: "After the completion nothing refers to the subscriber."
    case .releasedAfterFailure: "After the failure nothing refers to the subscriber."
    case .requestDuringASignal: "Another thread's request returns while a signal is being taken: no lock is held."
    case .cancelDuringASignal: "Another thread's cancellation returns while a signal is being taken: no lock is held."
    case .subscribeDuringASignal: "Another thread can subscribe while a signal is being taken: no lock is held."
    case .callsDuringRelease: "Another thread's calls return while the subscriber is deallocated: no lock is held."
    case .sendDuringASignalWaits: "A value sent while another is being taken comes after it, on the sending thread."
    }
  }

  /// The corresponding rules of the Reactive Streams specification.
  public var reference: String {
    switch self {
    case .subscriptionComesFirst: "§1.9"
    case .subscriptionComesOnce: "§1.9, §2.12"
    case .signalsAreSerial: "§1.3"
    case .signalsWaitForTheSubscription: "§1.3, §1.9"
    case .everythingIsDelivered: "§1.5, §3.17"
    case .endComesOnce, .nothingFollowsTheEnd: "§1.7"
    case .completionNeedsNoDemand: "§1.5, §2.9"
    case .failureNeedsNoDemand: "§1.4, §2.10"
    case .failureEndsTheStream: "§1.4, §1.7"
    case .eachSubscriberIsServed: "§1.10, §1.11"
    case .valuesNeverExceedDemand: "§1.1"
    case .requestsAddUp, .returnedDemandCounts: "§3.8"
    case .requestInsideSubscription, .requestInsideValue: "§3.2"
    case .requestsDoNotRecurse: "§3.3"
    case .demandDoesNotOverflow: "§3.17"
    case .requestsFromAnyThread: "§3.8, §2.7"
    case .nothingFollowsCancel: "§1.8, §3.12"
    case .cancelFromAnotherThread, .cancelDuringDelivery: "§1.8, §3.5"
    case .cancelBeforeRequest: "§3.5, §3.12"
    case .cancelTwice: "§3.5, §3.7"
    case .cancelLeavesOthersAlone: "§1.11, §3.14"
    case .requestAfterCancel: "§3.6"
    case .requestAfterEnd: "§1.6, §3.6"
    case .releasedAfterCancel: "§3.13"
    case .releasedAfterCompletion, .releasedAfterFailure: "§1.6, §3.13"
    case .requestDuringASignal: "§3.4, §3.16"
    case .cancelDuringASignal: "§3.5, §3.15"
    case .subscribeDuringASignal: "§1.10"
    case .callsDuringRelease: "§3.15, §3.16"
    case .sendDuringASignalWaits: "§1.3"
    }
  }
}
