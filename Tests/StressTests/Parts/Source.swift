import Combine
import InterflowTestSupport

/// A publisher for one subscriber that keeps the rules: it has a number of items and then an end, and delivers on
/// demand, inside the request or when somebody calls `deliver`.
final class Source<Failure: Error>: Publisher, @unchecked Sendable {  // `state` guards everything mutable.
  typealias Output = Item

  private struct State {
    var subscriber: AnySubscriber<Item, Failure>?
    var demand = Subscribers.Demand.none
    var next = 0
    var isDelivering = false
    var isFree = false
    var isSubscribed = false
    var isOver = false
    var cancellations = 0
  }

  private enum Step {
    case rest
    case deliver(Int, AnySubscriber<Item, Failure>)
    case complete(AnySubscriber<Item, Failure>)
  }

  private let world: World
  private let participant: Participant
  private let count: Int
  private let ending: Subscribers.Completion<Failure>?
  private let mayHold: Int
  private let state = Shared(State())

  /// - Parameters:
  ///   - ending: How it ends after the last item, if it does.
  ///   - mayHold: How many values its subscriber may have asked for and not got.
  init(
    _ world: World, _ name: String = "source", count: Int, ending: Subscribers.Completion<Failure>?,
    mayHold: Int = .max
  ) {
    self.world = world
    self.count = count
    self.ending = ending
    self.mayHold = mayHold
    participant = world.participant(name)
  }

  /// How many items it has delivered.
  var delivered: Int { state.value.next }
  var isSubscribed: Bool { state.value.isSubscribed }
  /// Whether it has completed or has been cancelled.
  var isOver: Bool { state.value.isOver }
  var cancellations: Int { state.value.cancellations }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Item, S.Failure == Failure {
    participant.note("is subscribed")
    state.update {
      $0.subscriber = AnySubscriber(subscriber)
      $0.isSubscribed = true
    }
    subscriber.receive(subscription: SourceSubscription(self))
    // Some have completed when they are subscribed to, as far as they have nothing to be asked for.
    if participant.once(in: 3) { deliver(1) }
  }

  /// Delivers at most so many items, as far as they are asked for, and the end if it is due.
  func deliver(_ most: Int) {
    var left = most
    while true {
      let step: Step = state.update { state in
        guard !state.isDelivering, !state.isOver, left > 0 || state.isFree, let subscriber = state.subscriber else {
          return .rest
        }
        if state.next < count {
          if state.demand == .none { return .rest }
          state.demand -= 1
          state.next += 1
          state.isDelivering = true
          return .deliver(state.next - 1, subscriber)
        }
        if ending == nil { return .rest }
        state.isOver = true
        state.subscriber = nil
        return .complete(subscriber)
      }
      left -= 1
      switch step {
      case .rest: return
      case .deliver(let number, let subscriber):
        participant.note("delivers", number)
        let more = subscriber.receive(world.item(number))
        state.update {
          $0.demand += more
          $0.isDelivering = false
        }
      case .complete(let subscriber):
        participant.note("completes")
        subscriber.receive(completion: ending!)
        return
      }
    }
  }

  /// Delivers whatever is asked for from now on, at once.
  func free() {
    state.update { $0.isFree = true }
    deliver(1)
  }

  /// Starts somebody who delivers now and then, and then frees.
  func spawnSenders(_ count: Int = 1) {
    for index in 0..<count {
      world.spawn("deliver \(index)") { participant in
        for _ in 0..<participant.number(0...4) {
          self.deliver(participant.number(1...3))
          await participant.pause()
        }
        participant.note("frees")
        self.free()
      }
    }
  }

  fileprivate func requested(_ demand: Subscribers.Demand) {
    participant.note("is asked for", demand.max)
    let outstanding = state.update {
      $0.demand += demand
      return $0.demand
    }
    if let outstanding = outstanding.max {
      world.check(outstanding <= mayHold, "\(outstanding) values are asked for where \(mayHold) may be held")
    } else {
      world.check(mayHold == .max, "values are asked for without limit where \(mayHold) may be held")
    }
    if participant.once(in: 3) { deliver(participant.number(1...2)) } else { deliver(0) }
  }

  fileprivate func cancelled() {
    participant.note("is cancelled")
    let (subscriber, cancellations) = state.update {
      $0.cancellations += 1
      $0.isOver = true
      return ($0.subscriber.take(), $0.cancellations)
    }
    withExtendedLifetime(subscriber) {}
    world.check(cancellations == 1, "upstream is cancelled \(cancellations) times")
  }
}

private final class SourceSubscription<Failure: Error>: Subscription {
  private let source: Source<Failure>

  init(_ source: Source<Failure>) {
    self.source = source
  }

  func request(_ demand: Subscribers.Demand) { source.requested(demand) }

  func cancel() { source.cancelled() }
}

/// A publisher that makes a source for each subscriber.
struct EachSource<Failure: Error>: Publisher {
  typealias Output = Item

  let make: @Sendable () -> Source<Failure>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Item, S.Failure == Failure {
    make().receive(subscriber: subscriber)
  }
}
