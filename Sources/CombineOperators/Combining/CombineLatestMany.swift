import Combine
import InterflowPrimitives

/// A publisher of arrays of the latest values of some publishers.
struct CombineLatestMany<Bases: Collection>: Publisher where Bases.Element: Publisher {
  typealias Output = [Bases.Element.Output]
  typealias Failure = Bases.Element.Failure

  let bases: Bases

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "CombineLatest", LatestManyValues<Bases.Element.Output>(count: bases.count))
    delivery.aroundBuffered = { $0.collectingSends($1) }
    for (number, base) in bases.enumerated() {
      delivery.join(base, .demanded) { delivery, value in
        // The value before is released after the array has been sent.
        let replaced = delivery.values.replace(number, value)
        withExtendedLifetime(replaced) { delivery.sendArray() }
      } onCompletion: { delivery, completion in
        delivery.sendDue()
        if case .failure = completion { return delivery.finish(completion, unrequested: .dropped) }
        delivery.values.unfinished -= 1
        if delivery.values.isDone { delivery.finish(unrequested: .dropped) }
      }
    }
    delivery.sendSubscription()
  }
}

/// The latest value of each publisher. After the end there are none, and what another thread still brings is ignored.
private struct LatestManyValues<Value>: DeliveryValues {
  private var latest: [Value?] = []
  private var missing = 0
  var unfinished = 0

  /// The thread that sends an array, or zero. What that thread sends inside is joined when the array has been sent.
  var sender: UInt = 0
  /// Whether there was such a value.
  var isDue = false
  /// Whether the array that such values have caused is being sent.
  var isSendingDue = false

  init() {}

  init(count: Int) {
    latest = Array(repeating: nil, count: count)
    missing = count
    unfinished = count
  }

  /// - Returns: The value before.
  mutating func replace(_ number: Int, _ value: Value) -> Value? {
    guard latest.indices.contains(number) else { return nil }
    let replaced = latest[number]
    latest[number] = value
    if replaced == nil { missing -= 1 }
    return replaced
  }

  var isDone: Bool { unfinished == 0 && !latest.isEmpty }

  /// The latest values, if there is one of each.
  var array: [Value]? { missing == 0 && !latest.isEmpty ? latest.compactMap(\.self) : nil }
}

extension Delivery {
  /// Sends the latest values, if there is one of each.
  ///
  /// A thread that has borrowed the turn sends its own array, which is newer than what the sleeping owner would send.
  fileprivate func sendArray<Value>() where Values == LatestManyValues<Value>, Output == [Value] {
    guard let array = values.array else { return }
    guard values.sender != currentThreadIdentity() else {
      values.isDue = !values.isSendingDue
      return
    }
    collectingSends { sendLatest(array) }
  }

  /// Calls a closure that delivers arrays. Values that are sent meanwhile cause one more array together, and those that
  /// are sent during that none, so that a subscriber may write back to a publisher.
  fileprivate func collectingSends<Value, Result>(_ deliver: () -> Result) -> Result
  where Values == LatestManyValues<Value>, Output == [Value] {
    let me = currentThreadIdentity()
    let outer = (sender: values.sender, isSendingDue: values.isSendingDue)
    guard outer.sender != me else { return deliver() }
    values.sender = me
    values.isDue = false
    values.isSendingDue = false
    let result = deliver()
    sendDue()
    values.sender = outer.sender
    values.isSendingDue = outer.isSendingDue
    return result
  }

  /// Sends the array that values sent inside another one's delivery have caused.
  fileprivate func sendDue<Value>() where Values == LatestManyValues<Value>, Output == [Value] {
    guard values.isDue, let array = values.array else { return }
    values.isDue = false
    values.isSendingDue = true
    sendLatest(array)
    values.isSendingDue = false
  }
}
