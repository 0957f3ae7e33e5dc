extension Publishers {
  /// A publisher of the property at a key path of each value of another.
  @frozen
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// The key path of the property that is delivered.
    public let keyPath: KeyPath<Upstream.Output, Output>

    @inlinable
    init(upstream: Upstream, keyPath: KeyPath<Upstream.Output, Output>) {
      self.upstream = upstream
      self.keyPath = keyPath
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, keyPath: keyPath))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == Output, Downstream.Failure == Upstream.Failure {
      @usableFromInline typealias Input = Upstream.Output
      @usableFromInline typealias Failure = Upstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let keyPath: KeyPath<Upstream.Output, Output>

      @inlinable
      init(downstream: Downstream, keyPath: KeyPath<Upstream.Output, Output>) {
        self.downstream = downstream
        self.keyPath = keyPath
      }

      @inlinable
      func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive(input[keyPath: keyPath])
      }

      @usableFromInline var operatorName: String { "ValueForKey" }
    }
  }
}

extension Publishers {
  /// A publisher of the properties at two key paths of each value of another.
  @frozen
  public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
    /// The kind of values that the publisher delivers: a tuple of the properties.
    public typealias Output = (Output0, Output1)
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// The key path of the first property.
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    /// The key path of the second property.
    public let keyPath1: KeyPath<Upstream.Output, Output1>

    @inlinable
    init(
      upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == (Output0, Output1), S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, keyPath0: keyPath0, keyPath1: keyPath1))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == (Output0, Output1), Downstream.Failure == Upstream.Failure {
      @usableFromInline typealias Input = Upstream.Output
      @usableFromInline typealias Failure = Upstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let keyPath0: KeyPath<Upstream.Output, Output0>
      @usableFromInline let keyPath1: KeyPath<Upstream.Output, Output1>

      @inlinable
      init(
        downstream: Downstream, keyPath0: KeyPath<Upstream.Output, Output0>,
        keyPath1: KeyPath<Upstream.Output, Output1>
      ) {
        self.downstream = downstream
        self.keyPath0 = keyPath0
        self.keyPath1 = keyPath1
      }

      @inlinable
      func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive((input[keyPath: keyPath0], input[keyPath: keyPath1]))
      }

      @usableFromInline var operatorName: String { "ValueForKeys" }
    }
  }
}

extension Publishers {
  /// A publisher of the properties at three key paths of each value of another.
  @frozen
  public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
    /// The kind of values that the publisher delivers: a tuple of the properties.
    public typealias Output = (Output0, Output1, Output2)
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// The key path of the first property.
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    /// The key path of the second property.
    public let keyPath1: KeyPath<Upstream.Output, Output1>
    /// The key path of the third property.
    public let keyPath2: KeyPath<Upstream.Output, Output2>

    @inlinable
    init(
      upstream: Upstream, keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
      self.keyPath2 = keyPath2
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == (Output0, Output1, Output2), S.Failure == Failure {
      upstream.subscribe(
        Inner(downstream: subscriber, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2))
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == (Output0, Output1, Output2), Downstream.Failure == Upstream.Failure {
      @usableFromInline typealias Input = Upstream.Output
      @usableFromInline typealias Failure = Upstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let keyPath0: KeyPath<Upstream.Output, Output0>
      @usableFromInline let keyPath1: KeyPath<Upstream.Output, Output1>
      @usableFromInline let keyPath2: KeyPath<Upstream.Output, Output2>

      @inlinable
      init(
        downstream: Downstream, keyPath0: KeyPath<Upstream.Output, Output0>,
        keyPath1: KeyPath<Upstream.Output, Output1>,
        keyPath2: KeyPath<Upstream.Output, Output2>
      ) {
        self.downstream = downstream
        self.keyPath0 = keyPath0
        self.keyPath1 = keyPath1
        self.keyPath2 = keyPath2
      }

      @inlinable
      func receive(_ input: Input) -> Subscribers.Demand {
        downstream.receive((input[keyPath: keyPath0], input[keyPath: keyPath1], input[keyPath: keyPath2]))
      }

      @usableFromInline var operatorName: String { "ValueForKeys" }
    }
  }
}

extension Publisher {
  /// Delivers the property at a key path of each value.
  ///
  /// Demand, completion and cancellation pass through.
  ///
  /// ```swift
  /// let cancellable = ["one", "three"].publisher.map(\.count).sink { print($0) }  // 3, 5
  /// ```
  @inlinable
  public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }

  /// Delivers the properties at two key paths of each value, as a tuple.
  ///
  /// Demand, completion and cancellation pass through.
  @inlinable
  public func map<T0, T1>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
  }

  /// Delivers the properties at three key paths of each value, as a tuple.
  ///
  /// Demand, completion and cancellation pass through.
  @inlinable
  public func map<T0, T1, T2>(
    _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>,
    _ keyPath2: KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(
      upstream: self, keyPath0: keyPath0, keyPath1: keyPath1, keyPath2: keyPath2)
  }
}
