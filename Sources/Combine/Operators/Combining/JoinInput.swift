/// How a ``Delivery`` requests values from one of its publishers.
@frozen
@usableFromInline
struct InputRules: OptionSet {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// What the subscriber requests is requested from the publisher.
  @inlinable static var demanded: InputRules { InputRules(rawValue: 1) }
  /// Unlimited demand is requested from the publisher when it sends its subscription.
  @inlinable static var unlimited: InputRules { InputRules(rawValue: 2) }
  /// With `demanded`: demand that arises during the publisher's value is returned to it. It is requested from it
  /// otherwise.
  @inlinable static var returnsDemand: InputRules { InputRules(rawValue: 4) }
  /// If the publisher fails, it is cancelled like the others.
  @inlinable static var cancelsFailed: InputRules { InputRules(rawValue: 8) }
}

/// The link to one of the publishers that a ``Delivery`` joins.
@usableFromInline
class JoinLink: ReplaceableLink {
  /// How many were joined before. Set before the publisher is subscribed to.
  @usableFromInline @exclusivity(unchecked) final var index = 0
  @usableFromInline final let rules: InputRules

  @usableFromInline
  init(_ name: OperatorName, _ rules: InputRules) {
    self.rules = rules
    super.init(name)
    if rules.contains(.unlimited) { add(.unlimited) }
  }
}

/// The subscriber of one of the publishers that a ``Delivery`` joins.
@usableFromInline
final class JoinInput<Input, Values: JoinedValues, Downstream: Subscriber>: JoinLink, OperatorSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Owner = Delivery<Values, Downstream>

  @usableFromInline let owner: Owner
  @usableFromInline let accept: (Owner, Input) -> Void
  @usableFromInline let onFinish: (Owner) -> Void

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(
    _ owner: Owner, _ rules: InputRules, accept: @escaping (Owner, Input) -> Void, onFinish: @escaping (Owner) -> Void
  ) {
    self.owner = owner
    self.accept = accept
    self.onFinish = onFinish
    super.init(owner.name, rules)
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    isLinked ? owner.receive(input, from: self) : .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    if case .failure = completion, rules.contains(.cancelsFailed) {
      if !hasEnded { owner.inputFailed(completion) }
    } else if finish(from: .notEnded) {
      if case .failure = completion { owner.inputFailed(completion) } else { owner.inputFinished(index, onFinish) }
    }
  }
}
