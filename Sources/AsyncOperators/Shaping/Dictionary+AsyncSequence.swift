extension Dictionary {
  /// Makes a dictionary of the keys and values of an asynchronous sequence, in which no key may come twice.
  ///
  /// ```swift
  /// let lengths = await Dictionary(uniqueKeysWithValues: ["a", "bb"].async.map { ($0, $0.count) })
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation, with what it has until then. A key that comes
  /// twice is a programming error, and traps.
  ///
  /// - Parameter keysAndValues: The sequence. If it fails, the error is thrown.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    uniqueKeysWithValues keysAndValues: Source
  ) async throws(Source.Failure) where Source.Element == (Key, Value) {
    self.init()
    var iterator = keysAndValues.makeAsyncIterator()
    while let (key, value) = try await iterator.next(isolation: #isolation) {
      let former = updateValue(value, forKey: key)
      precondition(former == nil, "the key \(key) came twice")
    }
  }

  /// Makes a dictionary of the keys and values of an asynchronous sequence, and joins the values of a key.
  ///
  /// ```swift
  /// let counts = await Dictionary(["a", "b", "a"].async.map { ($0, 1) }, uniquingKeysWith: +)  // ["a": 2, "b": 1]
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation, with what it has until then.
  ///
  /// - Parameters:
  ///   - keysAndValues: The sequence. If it fails, the error is thrown.
  ///   - combine: Makes one value of the one that the key has and the one that has come. If it throws, so does this.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    _ keysAndValues: Source, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) async rethrows where Source.Element == (Key, Value) {
    self.init()
    var iterator = keysAndValues.makeAsyncIterator()
    while let (key, value) = try await iterator.next(isolation: #isolation) {
      if let former = self[key] {
        self[key] = try combine(former, value)
      } else {
        self[key] = value
      }
    }
  }

  /// Makes a dictionary of the keys and values of an asynchronous sequence, and joins the values of a key.
  ///
  /// ```swift
  /// let pages = await Dictionary(links, uniquingKeysWith: { await newer($0, $1) })
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation, with what it has until then.
  ///
  /// - Parameters:
  ///   - keysAndValues: The sequence. If it fails, the error is thrown.
  ///   - combine: Makes one value of the one that the key has and the one that has come, on the caller's isolation. If
  ///     it throws, so does this.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    _ keysAndValues: Source, uniquingKeysWith combine: nonisolated(nonsending) (Value, Value) async throws -> Value
  ) async rethrows where Source.Element == (Key, Value) {
    self.init()
    var iterator = keysAndValues.makeAsyncIterator()
    while let (key, value) = try await iterator.next(isolation: #isolation) {
      if let former = self[key] {
        self[key] = try await combine(former, value)
      } else {
        self[key] = value
      }
    }
  }

  /// Makes a dictionary of arrays of the elements of an asynchronous sequence with the same key.
  ///
  /// ```swift
  /// let words = await Dictionary(grouping: ["a", "bb", "c"].async, by: \.count)  // [1: ["a", "c"], 2: ["bb"]]
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation, with what it has until then.
  ///
  /// - Parameters:
  ///   - values: The sequence. If it fails, the error is thrown.
  ///   - keyForValue: The key of an element. If it throws, so does this.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    grouping values: Source, by keyForValue: (Source.Element) throws -> Key
  ) async rethrows where Value == [Source.Element] {
    self.init()
    var iterator = values.makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) {
      self[try keyForValue(element), default: []].append(element)
    }
  }

  /// Makes a dictionary of arrays of the elements of an asynchronous sequence with the same key.
  ///
  /// ```swift
  /// let pages = await Dictionary(grouping: links, by: { await host(of: $0) })
  /// ```
  ///
  /// It returns when the sequence ends, also because of a cancellation, with what it has until then.
  ///
  /// - Parameters:
  ///   - values: The sequence. If it fails, the error is thrown.
  ///   - keyForValue: The key of an element, made on the caller's isolation. If it throws, so does this.
  @inlinable
  public nonisolated(nonsending) init<Source: AsyncSequence>(
    grouping values: Source, by keyForValue: nonisolated(nonsending) (Source.Element) async throws -> Key
  ) async rethrows where Value == [Source.Element] {
    self.init()
    var iterator = values.makeAsyncIterator()
    while let element = try await iterator.next(isolation: #isolation) {
      self[try await keyForValue(element), default: []].append(element)
    }
  }
}
