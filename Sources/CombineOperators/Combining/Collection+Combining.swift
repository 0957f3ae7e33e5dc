import Combine

extension Collection where Element: Publisher {
  /// Delivers an array of one value of each of the publishers, in their order. Without any, it finishes at once.
  ///
  /// ```swift
  /// let pages = urls.map(fetch).zip()
  /// ```
  ///
  /// It finishes when one of the publishers has finished and its values have been joined.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func zip() -> AnyPublisher<[Element.Output], Element.Failure> {
    isEmpty ? Empty().eraseToAnyPublisher() : ZipMany(bases: self).eraseToAnyPublisher()
  }

  /// Delivers an array of the latest values of the publishers, in their order, each time that one delivers a value.
  /// Without any, it finishes at once.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher. If that results in more arrays than requested,
  ///   the latest is buffered until the next request. The completion does not wait for that request: it drops the array.
  /// - Thread: Values that are sent from inside the subscriber are joined when its call has returned: the latest array is
  ///   delivered then, once. Values that are sent during that delivery are stored, and cause no array, as with Combine's
  ///   `combineLatest`.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func combineLatest() -> AnyPublisher<[Element.Output], Element.Failure> {
    isEmpty ? Empty().eraseToAnyPublisher() : CombineLatestMany(bases: self).eraseToAnyPublisher()
  }

  /// Delivers the values of all the publishers. Without any, it finishes at once.
  ///
  /// - Demand: If the subscriber's demand is limited, one value at a time is requested from each publisher, as by Combine's
  ///   `merge`.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func merge() -> AnyPublisher<Element.Output, Element.Failure> {
    Publishers.MergeMany(self).eraseToAnyPublisher()
  }

  /// Subscribes to a number of the publishers at a time, and delivers arrays of one value of each.
  ///
  /// The next batch of publishers is subscribed to when the one before has finished. A failure ends the stream.
  ///
  /// - Demand: If the subscriber's demand is limited, arrays are requested one at a time, and at most one is buffered.
  /// - Cancellation: Cancels the publishers of the current batch. The others have not been subscribed to.
  /// - Parameter size: How many publishers are in a batch, the last of which may have fewer.
  public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure> {
    precondition(size > 0, "the size of a batch must be positive, but was \(size)")
    let batches = sequence(state: self[...]) { rest -> SubSequence? in
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(size) }
      return rest.prefix(size)
    }
    return batches.publisher.setFailureType(to: Element.Failure.self)
      .flatMap(maxPublishers: .max(1)) { $0.zip() }
      .eraseToAnyPublisher()
  }
}

extension Publisher {
  /// Delivers an array of one value of this publisher and one of each of some others.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func zip<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).zip()
  }

  /// Delivers an array of one value of this publisher and one of each of some others.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func zip<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure {
    zip(with: others)
  }

  /// Delivers an array of the latest values of this publisher and some others.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher. If that results in more arrays than requested,
  ///   the latest is buffered until the next request. The completion does not wait for that request: it drops the array.
  /// - Thread: Values that are sent from inside the subscriber are joined when its call has returned: the latest array is
  ///   delivered then, once. Values that are sent during that delivery are stored, and cause no array, as with Combine's
  ///   `combineLatest`.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func combineLatest<Others: Collection>(with others: Others) -> AnyPublisher<[Output], Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).combineLatest()
  }

  /// Delivers an array of the latest values of this publisher and some others.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher. If that results in more arrays than requested,
  ///   the latest is buffered until the next request. The completion does not wait for that request: it drops the array.
  /// - Thread: Values that are sent from inside the subscriber are joined when its call has returned: the latest array is
  ///   delivered then, once. Values that are sent during that delivery are stored, and cause no array, as with Combine's
  ///   `combineLatest`.
  /// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
  public func combineLatest<Other: Publisher>(with others: Other...) -> AnyPublisher<[Output], Failure>
  where Other.Output == Output, Other.Failure == Failure {
    combineLatest(with: others)
  }
}
