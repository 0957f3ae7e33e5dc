import Combine
import InterflowTestSupport
import Foundation

extension AppleReactions {
  /// What a program's logs show of subscriptions and subscribers, where the name is not the publisher's or not obvious.
  static let names: [Reaction] = [
    subscription("Publishers.FirstWhere", is: "TryFirst") { $0.first { _ in true } },
    subscription("Publishers.TryFirstWhere", is: "TryFirstWhere") { $0.tryFirst { _ in true } },
    subscription("Publishers.ContainsWhere", is: "ContainsWhere") { $0.contains { _ in true } },
    subscription("Publishers.Comparison", is: "Comparison") { $0.max() },
    subscription("Publishers.TryComparison", is: "TryComparison") { $0.tryMin { $0 < $1 } },
    subscription("Publishers.Output", is: "Output") { $0.prefix(1) },
    subscription("Publishers.Drop", is: "Drop") { $0.dropFirst() },
    subscription("Publishers.CollectByCount", is: "CollectByCount") { $0.collect(2) },
    subscription("Publishers.TryMap", is: "TryMap") { $0.tryMap { $0 } },
    subscription("Publishers.HandleEvents", is: "HandleEvents") { $0.handleEvents() },
    subscription("Publishers.Print", is: "Print") { $0.print(to: Lines()) },
    subscriber("Publishers.MapKeyPath", is: "ValueForKey") { $0.map(\.magnitude) },
    subscriber("Publishers.MapKeyPath2", is: "ValueForKeys") { $0.map(\.magnitude, \.bitWidth) },
    subscriber("Publishers.MapKeyPath3", is: "ValueForKeys") { $0.map(\.magnitude, \.bitWidth, \.byteSwapped) },
    subscriber("Publishers.Filter", is: "Filter") { $0.filter { _ in true } },
    Reaction("Publishers.Map", "the subscriber's description, replaceNil", ["Map"]) { log in
      let upstream = LoggedUpstream<Int?, TestError>(log)
      upstream.replaceNil(with: 0).subscribe(LoggedDownstream(log))
      log.clear()
      log.add(upstream.subscriber.map { "\($0)" } ?? "none")
    },
    Reaction("subscribe(a subject)", "the subscriber's description", ["Subject", "Subject"]) { log in
      let upstream = LoggedUpstream<Int, TestError>(log)
      let cancellable = upstream.subscribe(PassthroughSubject<Int, TestError>())
      // Its end is none of what is compared.
      cancellable.cancel()
      log.clear()
      log.add(upstream.subscriber.map { "\($0)" } ?? "none")
      let forPlaygrounds = upstream.subscriber as? any CustomPlaygroundDisplayConvertible
      log.add(forPlaygrounds.map { "\($0.playgroundDescription)" } ?? "none")
    },
    Reaction("AnySubscriber", "the description of one of closures", ["Anonymous AnySubscriber"]) { log in
      log.add("\(AnySubscriber<Int, TestError>())")
    },
  ]

  private static func subscription<P: Publisher & SendableMetatype>(
    _ publisher: String, is name: String, _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> Reaction {
    Reaction(publisher, "the subscription's description", [name, name]) { log in
      let subscription = LoggedStream(log, make).downstream.subscription
      log.clear()
      log.add(subscription.map { "\($0)" } ?? "none")
      let forPlaygrounds = subscription as? any CustomPlaygroundDisplayConvertible
      log.add(forPlaygrounds.map { "\($0.playgroundDescription)" } ?? "none")
    }
  }

  private static func subscriber<P: Publisher & SendableMetatype>(
    _ publisher: String, is name: String, _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> Reaction {
    Reaction(publisher, "the subscriber's description", [name]) { log in
      let stream = LoggedStream(log, make)
      log.clear()
      log.add(stream.upstream.subscriber.map { "\($0)" } ?? "none")
    }
  }
}
