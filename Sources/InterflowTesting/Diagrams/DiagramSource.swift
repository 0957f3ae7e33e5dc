public import Combine

/// Something that knows what a stream did, for a diagram of it.
public protocol DiagramSource {
  /// What the stream did.
  func diagramRow(named name: String) -> StreamDiagram.Row
}

extension RecordingSubscriber: DiagramSource {
  /// What the subscriber received.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(name, signals: signals)
  }
}

extension RecordingPublisher: DiagramSource {
  /// What passed the publisher.
  public func diagramRow(named name: String) -> StreamDiagram.Row {
    StreamDiagram.Row(name, signals: signals)
  }
}

extension TestTimeline {
  /// Subscribes to a publisher, lets time pass as ``TestTimeline/run()`` does, and draws what happened.
  ///
  /// - Parameters:
  ///   - title: What the operator is called.
  ///   - inputs: What goes in: a ``MarblePublisher``, or any publisher's ``RecordingPublisher``.
  ///   - output: What comes out.
  public func diagram<P: Publisher>(
    _ title: String, inputs: KeyValuePairs<String, any DiagramSource>, output: P
  ) -> StreamDiagram {
    let subscriber = RecordingSubscriber<P.Output, P.Failure>(on: self)
    output.subscribe(subscriber)
    run()
    subscriber.cancel()
    return StreamDiagram(
      title, inputs: inputs.map { $0.value.diagramRow(named: $0.key) }, output: subscriber.diagramRow(named: "output"),
      frame: frame)
  }
}
