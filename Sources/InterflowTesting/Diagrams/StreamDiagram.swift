/// A picture of what an operator did: what went in, the operator, and what came out.
///
/// ``TestTimeline/diagram(_:inputs:output:)`` makes one from a run:
///
/// ```swift
/// let timeline = TestTimeline()
/// let source = try timeline.hot("ab---c---|")
/// let diagram = timeline.diagram(
///   "debounce(for: 2)", inputs: ["source": source],
///   output: source.debounce(for: 2, scheduler: timeline.scheduler))
/// print(diagram.text)
/// ```
///
/// The same recordings make the same picture, to the byte.
public struct StreamDiagram: Hashable, Sendable {
  /// What the operator is called.
  public var title: String
  /// What went in.
  public var inputs: [Row]
  /// What came out.
  public var output: Row
  /// The length of time that one column stands for.
  public var frame: VirtualTime.Stride

  /// Makes a diagram of what was recorded.
  public init(_ title: String, inputs: [Row], output: Row, frame: VirtualTime.Stride = 1) {
    precondition(frame > 0, "a frame of \(frame): a column has to stand for some time")
    self.title = title
    self.inputs = inputs
    self.output = output
    self.frame = frame
  }

  var rows: [Row] { inputs + [output] }

  /// In which column a time lies.
  func column(of time: VirtualTime) -> Int {
    max(0, VirtualTime.zero.distance(to: time).nanoseconds / frame.nanoseconds)
  }

  /// The number of columns, with one to spare after the last thing that happens.
  var columns: Int {
    (rows.lazy.flatMap(\.marks).map { column(of: $0.time) }.max() ?? 0) + 1
  }

  /// What is drawn of a row: a subscription only where it comes after the beginning.
  func visibleMarks(of row: Row) -> [Mark] {
    row.marks.filter { $0.kind != .subscription || column(of: $0.time) > 0 }
  }
}

extension StreamDiagram {
  /// What one stream did.
  public struct Row: Hashable, Sendable {
    /// What the stream is called.
    public var name: String
    /// What happened, in order.
    public var marks: [Mark]

    /// Makes a row.
    public init(_ name: String, marks: [Mark]) {
      self.name = name
      self.marks = marks
    }

    /// Makes a row of what was recorded; values and errors appear as they describe themselves.
    public init<Value, Failure: Error>(_ name: String, signals: [RecordedSignal<Value, Failure>]) {
      self.init(
        name,
        marks: signals.map { signal in
          switch signal.kind {
          case .subscription: Mark(.subscription, at: signal.time)
          case .value(let value): Mark(.value("\(value)"), at: signal.time)
          case .finished: Mark(.finished, at: signal.time)
          case .failure(let error): Mark(.failure("\(error)"), at: signal.time)
          }
        })
    }

    var hasEnded: Bool {
      marks.contains {
        switch $0.kind {
        case .finished, .failure: true
        case .subscription, .value: false
        }
      }
    }
  }

  /// Something that happened in a stream.
  public struct Mark: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
      /// A subscription.
      case subscription
      /// A value, as text.
      case value(String)
      /// The end of a stream that has all its values.
      case finished
      /// The end of a stream that failed, and its error as text.
      case failure(String)
    }

    /// When it happened.
    public var time: VirtualTime
    /// What happened.
    public var kind: Kind

    /// Makes a mark.
    public init(_ kind: Kind, at time: VirtualTime) {
      self.time = time
      self.kind = kind
    }
  }
}
