public import Combine

/// A type that has recorded a stream, for a diagram of it.
public protocol DiagramSource {
  /// The signals of the stream.
  func diagramRow(named name: String) -> StreamDiagram.Row
}

extension RecordingSubscriber: DiagramSource {
  /// The signals that the subscriber has received.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(name, signals: signals)
  }
}

extension RecordingPublisher: DiagramSource {
  /// The signals that the publisher has passed on.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(name, signals: signals)
  }
}

extension TestTimeline {
  /// Subscribes to a publisher, lets time pass as ``TestTimeline/run()`` does, and draws what happened.
  ///
  /// - Parameters:
  ///   - title: The name of the operator.
  ///   - inputs: The inputs of the operator: a ``MarblePublisher``, or any publisher's ``RecordingPublisher``.
  ///   - output: The operator.
  public func diagram<P: Publisher>(
    _ title: String, inputs: KeyValuePairs<String, any DiagramSource>, output: P
  ) -> StreamDiagram {
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(on: self)
    output.subscribe(subscriber)
    run()
    subscriber.cancel()
    let diagram = StreamDiagram(
      title, inputs: inputs.map { $0.value.diagramRow(named: $0.key) }, output: subscriber.diagramRow(named: "output"),
      frame: frame)
    advance()  // Tasks that have been cancelled end.
    return diagram
  }

  /// Iterates an asynchronous sequence, lets time pass as ``TestTimeline/run()`` does, and draws what happened.
  ///
  /// - Parameters:
  ///   - title: The name of the operator.
  ///   - inputs: The inputs of the operator: a ``MarbleSequence``, for one.
  ///   - output: The operator.
  public func diagram<S: AsyncSequence>(
    _ title: String, inputs: KeyValuePairs<String, any DiagramSource>, output: sending S
  ) -> StreamDiagram {
    let iteration = RecordingIteration(of: output, on: self)
    iteration.start()
    run()
    iteration.cancel()
    let diagram = StreamDiagram(
      title, inputs: inputs.map { $0.value.diagramRow(named: $0.key) }, output: iteration.diagramRow(named: "output"),
      frame: frame)
    advance()  // Tasks that have been cancelled end.
    return diagram
  }
}
