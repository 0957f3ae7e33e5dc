/// A picture of what an operator did: its inputs, the operator, and its output.
///
/// `diagram(_:inputs:output:)` of a ``TestTimeline`` makes one from a run:
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
/// The same recordings always make the same picture, byte for byte.
public struct StreamDiagram: Hashable, Sendable {
  /// The name of the operator.
  public var title: String
  /// The inputs of the operator.
  public var inputs: [Row]
  /// The output of the operator.
  public var output: Row
  /// The time that one column represents.
  public var frame: VirtualTime.Stride

  /// Makes a diagram of recordings.
  public init(_ title: String, inputs: [Row], output: Row, frame: VirtualTime.Stride = 1) {
    precondition(frame > 0, "a frame of \(frame): a column has to stand for some time")
    self.title = title
    self.inputs = inputs
    self.output = output
    self.frame = frame
  }

  var rows: [Row] { inputs + [output] }

  /// The column of a time.
  func column(of time: VirtualTime) -> Int {
    max(0, VirtualTime.zero.distance(to: time).nanoseconds / frame.nanoseconds)
  }

  /// The number of columns: up to the last mark.
  var columns: Int {
    (rows.lazy.flatMap(\.marks).map { column(of: $0.time) }.max() ?? 0) + 1
  }

  /// The marks of a row that are drawn: a subscription only if it is not in the first column.
  func visibleMarks(of row: Row) -> [Mark] {
    row.marks.filter { $0.kind != .subscription || column(of: $0.time) > 0 }
  }
}

extension StreamDiagram {
  /// The recording of one stream.
  public struct Row: Hashable, Sendable {
    /// The name of the stream.
    public var name: String
    /// The signals, in order.
    public var marks: [Mark]

    /// Makes a row.
    public init(_ name: String, marks: [Mark]) {
      self.name = name
      self.marks = marks
    }

    /// Makes a row of recorded signals; values and errors are shown by their descriptions.
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

  /// A signal of a stream.
  public struct Mark: Hashable, Sendable {
    /// The kind of a signal.
    public enum Kind: Hashable, Sendable {
      /// A subscription.
      case subscription
      /// A value, as text.
      case value(String)
      /// The stream finished.
      case finished
      /// The stream failed; the error, as text.
      case failure(String)
    }

    /// The time of the signal.
    public var time: VirtualTime
    /// The kind of the signal.
    public var kind: Kind

    /// Makes a mark.
    public init(_ kind: Kind, at time: VirtualTime) {
      self.time = time
      self.kind = kind
    }
  }
}
