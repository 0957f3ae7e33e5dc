import Combine
import InterflowPrimitives

/// A publisher of arrays of one value of each of some publishers.
struct ZipMany<Bases: Collection>: Publisher where Bases.Element: Publisher {
  typealias Output = [Bases.Element.Output]
  typealias Failure = Bases.Element.Failure

  let bases: Bases

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "Zip", ZipManyValues<Bases.Element.Output>(count: bases.count))
    for (number, base) in bases.enumerated() {
      delivery.join(base, .demanded) { delivery, value in
        delivery.values.append(value, number)
        if let array = delivery.values.takeArray() { delivery.send(array) }
        if delivery.values.isExhausted { delivery.finish() }
      } onFinish: { delivery in
        delivery.values.finish(number)
        if delivery.values.isExhausted { delivery.finish() }
      }
    }
    delivery.sendSubscription()
  }
}

/// The values that have not been joined yet, a queue for each publisher. After the end there are no queues, and what
/// another thread still brings is ignored.
private struct ZipManyValues<Value>: DeliveryValues {
  private var queues: [RingBuffer<Value>] = []
  private var finished: [Bool] = []
  private var emptyCount = 0
  /// Whether no more arrays can be made, since a publisher has finished and its values have been joined.
  private(set) var isExhausted = false

  init() {}

  init(count: Int) {
    queues = Array(repeating: RingBuffer(), count: count)
    finished = Array(repeating: false, count: count)
    emptyCount = count
  }

  mutating func append(_ value: Value, _ number: Int) {
    guard queues.indices.contains(number) else { return }
    if queues[number].isEmpty { emptyCount -= 1 }
    queues[number].append(value)
  }

  mutating func finish(_ number: Int) {
    guard queues.indices.contains(number) else { return }
    finished[number] = true
    if queues[number].isEmpty { isExhausted = true }
  }

  /// Takes the oldest value of each publisher, if there is one of each.
  mutating func takeArray() -> [Value]? {
    guard emptyCount == 0, !queues.isEmpty else { return nil }
    return queues.indices.compactMap { number in
      defer {
        if queues[number].isEmpty {
          emptyCount += 1
          if finished[number] { isExhausted = true }
        }
      }
      return queues[number].popFirst()
    }
  }
}
