/// When something happens in the model: a time, and the moment at which it was arranged.
///
/// What happens at the same time happens in the order in which it was arranged, as virtual time has it. A moment is a
/// list of numbers, and their lexicographic order is the order in which things happen: the time, the time at which that
/// was arranged, and so on back to the subscription of the pipeline. What is arranged and happens without a scheduler in
/// between is numbered at the end of the list, by numbers less than all times.
struct Moment: Hashable, Comparable {
  private var path: [Int]

  /// The subscription of the whole pipeline, before anything that is scheduled.
  static let beginning = Moment(path: [0])

  private init(path: [Int]) { self.path = path }

  var time: Int { path[0] }

  /// What is arranged now for another time.
  func arranging(at time: Int) -> Moment { Moment(path: [time] + path) }

  /// What is arranged now for as soon as possible.
  var hop: Moment { arranging(at: time) }

  /// One of the things that happen now, one after the other.
  func step(_ number: Int) -> Moment { Moment(path: path + [.min + number]) }

  /// After all steps that are numbered.
  var afterSteps: Moment { Moment(path: path + [-3]) }

  /// After all steps.
  var end: Moment { Moment(path: path + [-2]) }

  /// When a subscriber that subscribed now hears what a subject sends: the scenario's script was arranged before
  /// everything else, and a subject serves its subscribers in the order in which they came.
  func hearing(sentAt time: Int, index: Int) -> Moment { Moment(path: [time, -1, index] + path) }

  static func < (lhs: Moment, rhs: Moment) -> Bool { lhs.path.lexicographicallyPrecedes(rhs.path) }
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

/// When a publisher is subscribed to.
struct Start {
  var subscribed: Moment
  /// How often a request goes through a scheduler before it arrives.
  var hops = 0
  /// When the subscriber asks, where it does not at once.
  var request: Moment?

  /// When the first request arrives.
  func asked(since moment: Moment) -> Moment {
    (0..<hops).reduce(max(moment, request ?? moment)) { moment, _ in moment.hop }
  }

  /// The starts of so many publishers that are asked, one after the other, when all have been subscribed to.
  func joined(_ count: Int) -> [Start] {
    let request = asked(since: subscribed.afterSteps)
    return (0..<count).map { Start(subscribed: subscribed, request: request.step($0)) }
  }
}

/// The events of an operator that delivers on a scheduler what has come in until its job runs.
struct Rescheduled {
  private(set) var events: [Event] = []
  private var job: Moment?
  private var count = 0

  /// Adds a signal that a job delivers: the one that is arranged for that time already, or else one more.
  mutating func add(_ signal: Signal, arranged moment: Moment, for time: Int) {
    if let job, job.time == time, moment < job {
      count += 1
    } else {
      job = moment.arranging(at: time)
      count = 0
    }
    if let job { events.append(Event(job.step(count), signal)) }
  }

  /// Adds a signal that a job delivers as soon as possible.
  mutating func add(_ event: Event) { add(event.signal, arranged: event.moment, for: event.time) }

  /// Adds a signal that is delivered at its moment.
  mutating func addHere(_ event: Event) { events.append(event) }
}

/// Several streams in the order of their events; where moments are the same, in the order of the streams.
func interleave(_ streams: [[Event]]) -> [(stream: Int, event: Event)] {
  streams.enumerated().flatMap { stream, events in events.map { (stream: stream, event: $0) } }
    .enumerated()
    .sorted { ($0.element.event.moment, $0.offset) < ($1.element.event.moment, $1.offset) }
    .map(\.element)
}
