extension TestTimeline {
  /// Makes a publisher that sends the signals of a marble diagram, with or without subscribers.
  ///
  /// The diagram's first column is the current time. Each character stands for its value in the dictionary, or for
  /// itself if it is not in the dictionary and values are strings. `#` stands for `error`.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.hot("1-2-|", values: ["1": 1, "2": 2])
  /// try timeline.expect(source.map { $0 * 10 }, toEmit: "a-b-|", values: ["a": 10, "b": 20])
  /// ```
  ///
  /// - Demand: Values without demand are dropped.
  public func hot<Output, Failure: Error>(
    _ diagram: String, values: [Character: Output] = [Character: String](), error: Failure? = Never?.none
  ) throws(MarbleSyntaxError) -> MarblePublisher<Output, Failure> {
    MarblePublisher(try MarbleScript(diagram, values: values, error: error), on: self, isHot: true)
  }

  /// Makes a publisher that sends the signals of a marble diagram to each subscriber, beginning with its subscription.
  ///
  /// Each character stands for its value in the dictionary, or for itself if it is not in the dictionary and values are
  /// strings. `#` stands for `error`.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.cold("a-#", error: URLError(.timedOut))
  /// try timeline.expect(source.retry(1), toEmit: "a-a-#", error: URLError(.timedOut))
  /// ```
  ///
  /// - Demand: Values without demand are buffered until they are requested. The publisher completes as a `buffer` does:
  ///   `finished` needs demand, and a failure is delivered after the values that have been requested.
  public func cold<Output, Failure: Error>(
    _ diagram: String, values: [Character: Output] = [Character: String](), error: Failure? = Never?.none
  ) throws(MarbleSyntaxError) -> MarblePublisher<Output, Failure> {
    MarblePublisher(try MarbleScript(diagram, values: values, error: error), on: self, isHot: false)
  }

  /// Makes an asynchronous sequence of the elements of a marble diagram.
  ///
  /// Each character stands for its value in the dictionary, or for itself if it is not in the dictionary and values are
  /// strings. `#` stands for `error`.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.sequence("a-b-|")
  /// try timeline.expect(source.map { $0.uppercased() }, toEmit: "A-B-|")
  /// ```
  public func sequence<Element, Failure: Error>(
    _ diagram: String, values: [Character: Element] = [Character: String](), error: Failure? = Never?.none
  ) throws(MarbleSyntaxError) -> MarbleSequence<Element, Failure> {
    MarbleSequence(script: try MarbleScript(diagram, values: values, error: error), timeline: self)
  }
}
