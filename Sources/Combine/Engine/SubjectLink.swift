/// The link of a publisher that serves its subscribers from a subject of its own, which knows what there is to show.
///
/// It belongs to a stage in front of the subscriber, and refers to neither.
class SubjectLink<Output>: UpstreamLink {
  private var subscription: SubjectSubscription<Output, Never>? {
    if case .subscribed(let subscription) = status { subscription as? SubjectSubscription } else { nil }
  }

  /// What was asked for and has not come yet.
  final var demand: Subscribers.Demand { subscription?.pending ?? .none }

  /// The subscriber behind the stage, which only the thread that delivers may look at.
  final var downstream: Any? { nil }

  final var subject: AnyObject? { nil }
}

/// The same for a publisher that does not mind a request for nothing.
class LenientSubjectLink<Output>: SubjectLink<Output> {
  override func request(_ demand: Subscribers.Demand) {
    if demand != .none { super.request(demand) }
  }
}
