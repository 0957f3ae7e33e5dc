/// When something happens in the model: a time, and the moment at which it was arranged.
///
/// What happens at the same time happens in the order in which it was arranged, as virtual time has it: the numbers are
/// the time, the time at which that was arranged, and so on back to the subscription; so the order of moments is the
/// lexicographic one. What is arranged and happens without a scheduler in between has one moment.
struct Moment: Hashable, Comparable {
  private var times: [Int]

  /// The subscription of the whole pipeline, before anything that is scheduled.
  static let beginning = Moment(times: [0])

  private init(times: [Int]) { self.times = times }

  var time: Int { times[0] }

  /// What is arranged now for another time.
  func arranging(at time: Int) -> Moment { Moment(times: [time] + times) }

  /// What is arranged now for as soon as possible.
  var hop: Moment { arranging(at: time) }

  /// When a subscriber that subscribed now hears what a subject sends: the scenario's script was arranged before
  /// everything else, and a subject serves its subscribers in the order in which they came.
  func hearing(sentAt time: Int, index: Int) -> Moment { Moment(times: [time, -1, index] + times) }

  static func < (lhs: Moment, rhs: Moment) -> Bool { lhs.times.lexicographicallyPrecedes(rhs.times) }
}

/// A signal at its moment.
struct Event: Hashable {
  var moment: Moment
  var signal: Signal

  init(_ moment: Moment, _ signal: Signal) {
    self.moment = moment
    self.signal = signal
  }

  var time: Int { moment.time }
}

/// When a publisher is subscribed to, and asked.
struct Start {
  var subscribed: Moment
  /// How often a request goes through a scheduler before it arrives.
  var hops = 0

  var asked: Moment { (0..<hops).reduce(subscribed) { moment, _ in moment.hop } }
}

/// Several streams in the order of their events; where moments are the same, in the order of the streams.
func interleave(_ streams: [[Event]]) -> [(stream: Int, event: Event)] {
  streams.enumerated().flatMap { stream, events in events.map { (stream: stream, event: $0) } }
    .enumerated()
    .sorted { ($0.element.event.moment, $0.offset) < ($1.element.event.moment, $1.offset) }
    .map(\.element)
}
