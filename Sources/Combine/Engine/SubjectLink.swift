/// The link of a publisher that serves its subscribers from a subject of its own, which knows what there is to show.
///
/// It belongs to a stage in front of the subscriber, and refers to neither.
class SubjectLink<Output>: UpstreamLink {
  private var subscription: SubjectSubscription<Output, Never>? {
    if case .subscribed(let subscription) = status { subscription as? SubjectSubscription } else { nil }
  }

  /// What was asked for and has not come yet.
  final var demand: Subscribers.Demand { subscription?.pending ?? .none }

  /// The subscriber behind the stage, until the end.
  final var downstream: Any? {
    // The subject knows the stage, and that shows the subscriber.
    subscription?.downstream.flatMap { Mirror(reflecting: $0).descendant("downstream") }
  }

  /// Whose the subject is, until the end.
  final var subject: AnyObject? { subscription?.owner }
}

/// The same for a publisher that does not mind a request for nothing.
class LenientSubjectLink<Output>: SubjectLink<Output> {
  override func request(_ demand: Subscribers.Demand) {
    if demand != .none { super.request(demand) }
  }
}
