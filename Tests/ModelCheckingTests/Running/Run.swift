import Combine
import InterflowTesting

/// What came of a scenario that was run.
struct Outcome {
  var signals: [TimedSignal] = []
  var asked = 0
  /// The rules that were broken.
  var violations: [String] = []
}

/// A run of a scenario on virtual time.
final class Run {
  private static let unlimited = 1 << 40

  private let scenario: Scenario
  private let sloppiness: Sloppiness?
  private let timeline = TestTimeline()
  private let subjects: [PassthroughSubject<Int, Mishap>]
  private let currentValues: [CurrentValueSubject<Int, Mishap>]
  private var outcome = Outcome()

  private var received = 0
  private var isOver = false
  private var isCancelled = false
  private var subscriptions = 0

  private init(_ scenario: Scenario, _ sloppiness: Sloppiness?) {
    self.scenario = scenario
    self.sloppiness = sloppiness
    subjects = scenario.inputs.map { _ in PassthroughSubject() }
    currentValues = scenario.inputs.map { CurrentValueSubject($0.initial) }
  }

  /// What comes of a scenario in whose time everything has happened by `end`.
  ///
  /// - Parameter sloppiness: A rule that its sources break; then nothing can be said of what comes of it.
  static func outcome(of scenario: Scenario, until end: Int, sloppiness: Sloppiness? = nil) -> Outcome {
    let run = Run(scenario, sloppiness)
    run.script()
    let held = run.runPipeline(until: end)
    // A connection that goes with its publisher may be cancelled on the scheduler.
    run.timeline.run()
    // The subjects live on, and hold nobody.
    for held in held where held.isHeld() { run.violate("\(held.name) still held after the end") }
    return run.outcome
  }

  private func violate(_ rule: String) { outcome.violations.append(rule) }

  // MARK: What happens at its time, arranged before everything else

  private func script() {
    for (index, input) in scenario.inputs.enumerated() {
      for sent in input.signals {
        at(sent.time) { [subjects, currentValues] in
          switch sent.signal {
          case .value(let value):
            subjects[index].send(value)
            currentValues[index].send(value)
          case .finished:
            subjects[index].send(completion: .finished)
            currentValues[index].send(completion: .finished)
          case .failed(let code):
            subjects[index].send(completion: .failure(Mishap(code: code)))
            currentValues[index].send(completion: .failure(Mishap(code: code)))
          }
        }
      }
    }
  }

  private func at(_ time: Int, _ action: @escaping () -> Void) {
    timeline.scheduler.schedule(after: VirtualTime(nanoseconds: time), action)
  }

  // MARK: The pipeline

  private typealias Taker = RecordingSubscriber<Int, Mishap>

  private func runPipeline(until end: Int) -> [(name: String, isHeld: () -> Bool)] {
    let probe = Probe()
    let subscriber = makeSubscriber()
    for request in scenario.appetite.later {
      at(request.time) { [weak self, weak subscriber] in
        guard let self, let subscriber, !isOver, !isCancelled, subscriptions > 0 else { return }
        outcome.asked += request.count ?? Self.unlimited
        subscriber.request(request.count.map { .max($0) } ?? .unlimited)
      }
    }
    if case .at(let time) = scenario.cancellation {
      at(time) { [weak self, weak subscriber] in
        self?.isCancelled = true
        subscriber?.cancel()
      }
    }
    let watch = Watched<Numbers>.Count()
    let publisher = Workshop(
      scheduler: timeline.scheduler, subjects: subjects, currentValues: currentValues, probe: probe,
      watch: scenario.watchesSubjects && sloppiness == nil ? watch : nil, sloppiness: sloppiness
    ).publisher(scenario.pipeline)
    publisher.subscribe(subscriber)
    timeline.advance(to: VirtualTime(nanoseconds: end))
    if subscriptions != 1 { violate("\(subscriptions) subscriptions") }
    if !isOver, !isCancelled {
      isCancelled = true
      subscriber.cancel()
    }
    // What is still scheduled holds what it was scheduled by.
    timeline.run()
    // A connection that everybody has left while it was made stays until its publisher goes.
    let isShared = scenario.pipeline.contains(where: \.isShared)
    withExtendedLifetime(publisher) {
      if watch.value != 0, !isShared { violate("\(watch.value) subscriptions of subjects have not been cancelled") }
    }
    let subscription = subscriber.subscription as AnyObject?
    let isEmpty = subscription === Subscriptions.empty as AnyObject
    (subscriber.onSubscription, subscriber.onValue, subscriber.onCompletion) = (nil, nil, nil)
    subscriber.releaseSubscriptions()
    return [
      ("a subject's subscription is", { watch.value != 0 }),
      ("the pipeline's closures are", { [weak probe] in probe != nil }),
      ("the subscriber is", { [weak subscriber] in subscriber != nil }),
      ("the subscription is", { [weak subscription] in !isEmpty && subscription != nil }),
    ]
  }

  private func makeSubscriber() -> Taker {
    let appetite = scenario.appetite
    let cancelsAfter: Int? = if case .inside(let count) = scenario.cancellation { count } else { nil }
    outcome.asked = cancelsAfter == 0 ? 0 : appetite.initially ?? Self.unlimited
    let withEach: Subscribers.Demand = .max(appetite.withEach)
    let subscriber = Taker(
      on: timeline, initialDemand: appetite.initially.map { .max($0) } ?? .unlimited, cancelsAfter: cancelsAfter,
      demandForEach: { [weak self] _ in
        guard let self, !appetite.nested, withEach != .none else { return .none }
        outcome.asked += appetite.withEach
        return withEach
      })
    subscriber.onSubscription = { [weak self] _ in self?.note(.subscription) }
    subscriber.onValue = { [weak self, weak subscriber] value in
      guard let self else { return }
      note(.value(value))
      if appetite.nested, withEach != .none, !isCancelled, subscriptions > 0 {
        outcome.asked += appetite.withEach
        subscriber?.request(withEach)
      }
    }
    subscriber.onCompletion = { [weak self] completion in self?.note(.init(completion)) }
    return subscriber
  }

  private func note(_ kind: RecordedSignal<Int, Mishap>.Kind) {
    let signal = RecordedSignal(kind, at: timeline.now)
    // What ends without having values hands over a subscription that cannot be cancelled, as Apple's does: `Empty`.
    if scenario.cancellation == .inside(0), signal.completion != nil, !isOver { return isOver = true }
    if isOver { violate("\(signal) after the completion") }
    if isCancelled { violate("\(signal) after the cancellation") }
    let time = timeline.now.nanoseconds
    if let value = signal.value {
      if subscriptions == 0 { violate("a value before the subscription") }
      received += 1
      if received > outcome.asked { violate("value \(received), though \(outcome.asked) were asked for") }
      outcome.signals.append(TimedSignal(time: time, signal: .value(value)))
    } else if let completion = signal.completion {
      if subscriptions == 0 { violate("a completion before the subscription") }
      isOver = true
      switch completion {
      case .finished: outcome.signals.append(TimedSignal(time: time, signal: .finished))
      case .failure(let error): outcome.signals.append(TimedSignal(time: time, signal: .failed(error.code)))
      }
    } else {
      subscriptions += 1
    }
    // The subscriber cancels when it has received what it is receiving now.
    if case .inside(received) = scenario.cancellation, !isOver { isCancelled = true }
  }
}
