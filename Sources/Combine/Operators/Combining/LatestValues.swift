/// The latest values of the publishers of `combineLatest`. With fewer than four, the remaining ones are `Void` from the
/// start.
///
/// The subscriber's demand is requested from each publisher, which together may cause more tuples than that; see
/// ``Delivery/sendLatest(_:)``. One delivery receives the values of all publishers, rather than nested ones of two, so
/// that each value is joined with the latest of all the others.
@frozen
@usableFromInline
struct LatestValues<A, B, C, D>: JoinedValues {
  @usableFromInline var a: A?
  @usableFromInline var b: B?
  @usableFromInline var c: C?
  @usableFromInline var d: D?

  @inlinable
  init() {}

  @inlinable
  init(c: C? = nil, d: D? = nil) {
    self.c = c
    self.d = d
  }
}

extension Delivery {
  /// Subscribes to one of the publishers whose latest values are joined.
  @inlinable
  func joinLatest<P: Publisher>(_ publisher: P, _ accept: @escaping (Delivery, P.Output) -> Void)
  where P.Failure == Downstream.Failure {
    join(publisher, .demanded, accept: accept) { if $0.finished.isComplete { $0.finish(dropsUnrequested: true) } }
  }

  /// Sends the tuple of all publishers' latest values, if there is one of each.
  ///
  /// - Parameter replaced: The value before the one that has arrived. It is released after the tuple has been sent.
  @inlinable
  func sendTuple<A, B, C, D, Value>(replacing replaced: Value?, _ tuple: (A, B, C, D) -> Downstream.Input)
  where Values == LatestValues<A, B, C, D> {
    withExtendedLifetime(replaced) {
      guard let a = values.a, let b = values.b, let c = values.c, let d = values.d else { return }
      sendLatest(tuple(a, b, c, d))
    }
  }
}

extension Optional {
  /// Replaces the value.
  ///
  /// - Returns: The value before.
  @inlinable
  mutating func exchange(_ value: Wrapped) -> Wrapped? {
    let replaced = self
    self = value
    return replaced
  }
}
