extension Publisher {
  /// Delivers the values of this publisher and of another, as they arrive.
  ///
  /// If one publisher fails, the others are cancelled, and the failure is delivered after the buffered values that have
  /// been requested. The stream finishes when all publishers have finished.
  ///
  /// - Demand: If the subscriber's demand is limited, one value at a time is requested from each publisher, so that at
  ///   most one of each is buffered. Buffered values are delivered in the order of their publishers.
  /// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits
  ///   until that delivery has ended. A value that is sent from inside the subscriber is delivered immediately, as a
  ///   nested call.
  /// - Cancellation: Cancels all publishers and drops the buffered values.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.merge(with: [3].publisher).sink { print($0) }  // 1, 2, 3
  /// ```
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Merge(self, other)
  }

  /// Delivers the values of this publisher and of another of its kind, as they arrive.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self, other])
  }

  /// Delivers the values of this publisher and of two others, as they arrive.
  @inlinable
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output
  {
    Publishers.Merge3(self, b, c)
  }

  /// Delivers the values of this publisher and of three others, as they arrive.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output,
    Failure == D.Failure, Output == D.Output
  {
    Publishers.Merge4(self, b, c, d)
  }

  /// Delivers the values of this publisher and of four others, as they arrive.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output,
    Failure == D.Failure, Output == D.Output,
    Failure == E.Failure, Output == E.Output
  {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Delivers the values of this publisher and of five others, as they arrive.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output,
    Failure == D.Failure, Output == D.Output,
    Failure == E.Failure, Output == E.Output,
    Failure == F.Failure, Output == F.Output
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Delivers the values of this publisher and of six others, as they arrive.
  @inlinable
  public func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output,
    Failure == D.Failure, Output == D.Output,
    Failure == E.Failure, Output == E.Output,
    Failure == F.Failure, Output == F.Output,
    Failure == G.Failure, Output == G.Output
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Delivers the values of this publisher and of seven others, as they arrive.
  @inlinable
  public func merge<
    B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
  >(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    Failure == B.Failure, Output == B.Output,
    Failure == C.Failure, Output == C.Output,
    Failure == D.Failure, Output == D.Output,
    Failure == E.Failure, Output == E.Output,
    Failure == F.Failure, Output == F.Output,
    Failure == G.Failure, Output == G.Output,
    Failure == H.Failure, Output == H.Output
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge3<A, B, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge3(a, b, p)
  }

  /// Adds two more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher>(
    with p: P, _ q: Q
  ) -> Publishers.Merge4<A, B, P, Q>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output
  {
    Publishers.Merge4(a, b, p, q)
  }

  /// Adds three more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher>(
    with p: P, _ q: Q, _ r: R
  ) -> Publishers.Merge5<A, B, P, Q, R>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output
  {
    Publishers.Merge5(a, b, p, q, r)
  }

  /// Adds four more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher, S: Publisher>(
    with p: P, _ q: Q, _ r: R, _ s: S
  ) -> Publishers.Merge6<A, B, P, Q, R, S>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output
  {
    Publishers.Merge6(a, b, p, q, r, s)
  }

  /// Adds five more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher, S: Publisher, T: Publisher>(
    with p: P, _ q: Q, _ r: R, _ s: S, _ t: T
  ) -> Publishers.Merge7<A, B, P, Q, R, S, T>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output,
    T.Failure == Failure, T.Output == Output
  {
    Publishers.Merge7(a, b, p, q, r, s, t)
  }

  /// Adds six more publishers to this merge.
  @inlinable
  public func merge<
    P: Publisher, Q: Publisher, R: Publisher, S: Publisher, T: Publisher, U: Publisher
  >(
    with p: P, _ q: Q, _ r: R, _ s: S, _ t: T, _ u: U
  ) -> Publishers.Merge8<A, B, P, Q, R, S, T, U>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output,
    T.Failure == Failure, T.Output == Output,
    U.Failure == Failure, U.Output == Output
  {
    Publishers.Merge8(a, b, p, q, r, s, t, u)
  }
}

extension Publishers.Merge3 {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge4<A, B, C, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge4(a, b, c, p)
  }

  /// Adds two more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher>(
    with p: P, _ q: Q
  ) -> Publishers.Merge5<A, B, C, P, Q>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output
  {
    Publishers.Merge5(a, b, c, p, q)
  }

  /// Adds three more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher>(
    with p: P, _ q: Q, _ r: R
  ) -> Publishers.Merge6<A, B, C, P, Q, R>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output
  {
    Publishers.Merge6(a, b, c, p, q, r)
  }

  /// Adds four more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher, S: Publisher>(
    with p: P, _ q: Q, _ r: R, _ s: S
  ) -> Publishers.Merge7<A, B, C, P, Q, R, S>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output
  {
    Publishers.Merge7(a, b, c, p, q, r, s)
  }

  /// Adds five more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher, S: Publisher, T: Publisher>(
    with p: P, _ q: Q, _ r: R, _ s: S, _ t: T
  ) -> Publishers.Merge8<A, B, C, P, Q, R, S, T>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output,
    T.Failure == Failure, T.Output == Output
  {
    Publishers.Merge8(a, b, c, p, q, r, s, t)
  }
}

extension Publishers.Merge4 {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge5<A, B, C, D, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge5(a, b, c, d, p)
  }

  /// Adds two more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher>(
    with p: P, _ q: Q
  ) -> Publishers.Merge6<A, B, C, D, P, Q>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output
  {
    Publishers.Merge6(a, b, c, d, p, q)
  }

  /// Adds three more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher>(
    with p: P, _ q: Q, _ r: R
  ) -> Publishers.Merge7<A, B, C, D, P, Q, R>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output
  {
    Publishers.Merge7(a, b, c, d, p, q, r)
  }

  /// Adds four more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher, S: Publisher>(
    with p: P, _ q: Q, _ r: R, _ s: S
  ) -> Publishers.Merge8<A, B, C, D, P, Q, R, S>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output,
    S.Failure == Failure, S.Output == Output
  {
    Publishers.Merge8(a, b, c, d, p, q, r, s)
  }
}

extension Publishers.Merge5 {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge6<A, B, C, D, E, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge6(a, b, c, d, e, p)
  }

  /// Adds two more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher>(
    with p: P, _ q: Q
  ) -> Publishers.Merge7<A, B, C, D, E, P, Q>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output
  {
    Publishers.Merge7(a, b, c, d, e, p, q)
  }

  /// Adds three more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher, R: Publisher>(
    with p: P, _ q: Q, _ r: R
  ) -> Publishers.Merge8<A, B, C, D, E, P, Q, R>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output,
    R.Failure == Failure, R.Output == Output
  {
    Publishers.Merge8(a, b, c, d, e, p, q, r)
  }
}

extension Publishers.Merge6 {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge7<A, B, C, D, E, F, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge7(a, b, c, d, e, f, p)
  }

  /// Adds two more publishers to this merge.
  @inlinable
  public func merge<P: Publisher, Q: Publisher>(
    with p: P, _ q: Q
  ) -> Publishers.Merge8<A, B, C, D, E, F, P, Q>
  where
    P.Failure == Failure, P.Output == Output,
    Q.Failure == Failure, Q.Output == Output
  {
    Publishers.Merge8(a, b, c, d, e, f, p, q)
  }
}

extension Publishers.Merge7 {
  /// Adds another publisher to this merge.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge8(a, b, c, d, e, f, g, p)
  }
}
