extension TestTimeline {
  /// Makes a publisher that sends what a marble diagram says, whether or not anybody listens.
  ///
  /// The diagram's first column is the present. Each character stands for its value in the dictionary; where there is
  /// none, and values are strings, for itself. `error` is what `#` stands for.
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

  /// Makes a publisher that sends each subscriber what a marble diagram says, from the subscription on.
  ///
  /// Each character stands for its value in the dictionary; where there is none, and values are strings, for itself.
  /// `error` is what `#` stands for.
  ///
  /// ```swift
  /// let timeline = TestTimeline()
  /// let source = try timeline.cold("a-#", error: URLError(.timedOut))
  /// try timeline.expect(source.retry(1), toEmit: "a-a-#", error: URLError(.timedOut))
  /// ```
  ///
  /// - Demand: Values without demand are buffered until they are requested. It ends as a `buffer` does: a completion takes
  ///   a request, and a failure waits only for what has been requested.
  public func cold<Output, Failure: Error>(
    _ diagram: String, values: [Character: Output] = [Character: String](), error: Failure? = Never?.none
  ) throws(MarbleSyntaxError) -> MarblePublisher<Output, Failure> {
    MarblePublisher(try MarbleScript(diagram, values: values, error: error), on: self, isHot: false)
  }

  /// Makes an asynchronous sequence of what a marble diagram says.
  ///
  /// Each character stands for its value in the dictionary; where there is none, and values are strings, for itself.
  /// `error` is what `#` stands for.
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
