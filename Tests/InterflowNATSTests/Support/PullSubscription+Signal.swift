import InterflowTestSupport

@testable import InterflowNATS

extension PullSubscription {
  /// A subscription that fires a signal for each value. Values are settled by hand.
  convenience init(_ consumer: PullConsumer, firing received: Signal) {
    self.init(
      consumer,
      Receiver(
        receive: { _ in
          received.fire()
          return .none
        }, complete: { _ in }), .byHand)
  }
}
