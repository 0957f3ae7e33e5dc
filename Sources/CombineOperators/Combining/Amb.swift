import Combine

extension Publishers {
  /// A publisher of the signals of the faster of two publishers.
  ///
  /// See ``Combine/Publisher/amb(_:)``.
  public struct Amb<First: Publisher, Second: Publisher>: Publisher
  where First.Output == Second.Output, First.Failure == Second.Failure {
    /// The values of both publishers.
    public typealias Output = First.Output
    /// The failure of both publishers.
    public typealias Failure = First.Failure

    /// The publisher that is subscribed to first.
    public let first: First
    /// The other publisher.
    public let second: Second

    /// Delivers the signals of the faster of two publishers.
    public init(first: First, second: Second) {
      self.first = first
      self.second = second
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let delivery = Delivery(subscriber, "Amb", RaceValues())
      delivery.joinRace(first, number: 0)
      delivery.joinRace(second, number: 1)
      delivery.sendSubscription()
    }
  }
}

/// A publisher of the signals of the fastest of some publishers.
struct RaceMany<Bases: Collection>: Publisher where Bases.Element: Publisher {
  typealias Output = Bases.Element.Output
  typealias Failure = Bases.Element.Failure

  let bases: Bases

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "Amb", RaceValues())
    for (number, base) in bases.enumerated() { delivery.joinRace(base, number: number) }
    delivery.sendSubscription()
  }
}

struct RaceValues: DeliveryValues {
  var winner: Int?
}

extension Delivery where Values == RaceValues {
  /// Subscribes to one of the publishers that compete, unless one has won.
  func joinRace<P: Publisher>(_ publisher: P, number: Int) where P.Output == Output, P.Failure == Failure {
    let input = Input<Output, Failure, _, _>(self, .demanded) { delivery, value in
      delivery.ifWins(number) { delivery.send(value) }
    } onCompletion: { delivery, completion in
      delivery.ifWins(number) { delivery.finish(completion) }
    }
    // Those before it may deliver already. One that wins later cancels this input.
    var joins = false
    withTurn { joins = $0.values.winner == nil && $0.add(input, .demanded) }
    if joins { publisher.subscribe(input) }
  }

  /// Delivers a signal if it is the winner's. The others are cancelled after the first value, and not before it, since
  /// their cancellation may cause the winner's next signal. A completion cancels them itself.
  private func ifWins(_ number: Int, _ deliver: () -> Void) {
    if let winner = values.winner {
      if winner == number { deliver() }
      return
    }
    values.winner = number
    deliver()
    cancelInputs(except: number)
  }
}
