extension Publisher {
  /// Delivers the values of this publisher and of another, as they come.
  ///
  /// - Demand: While the subscriber's demand has a limit, each publisher is asked for one value at a time, so that at
  ///   most one of each waits. Of those that wait, the first publisher's is delivered first.
  ///
  /// A failure of any ends the stream; what the subscriber has asked for goes out before it. The stream finishes when all
  /// of them have.
  ///
  /// - Thread: Values are delivered on the thread that sends them; one that is sent while another thread delivers waits
  ///   for its turn. What is sent from inside the subscriber is delivered at once, inside the delivery.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.merge(with: [3].publisher).sink { print($0) }  // 1, 2, 3
  /// ```
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where Failure == P.Failure, Output == P.Output {
    Publishers.Merge(self, other)
  }

  /// Delivers the values of this publisher and of another of its kind, as they come.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany([self, other])
  }

  /// Delivers the values of this publisher and of two others, as they come.
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

  /// Delivers the values of this publisher and of three others, as they come.
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

  /// Delivers the values of this publisher and of four others, as they come.
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

  /// Delivers the values of this publisher and of five others, as they come.
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

  /// Delivers the values of this publisher and of six others, as they come.
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

  /// Delivers the values of this publisher and of seven others, as they come.
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
  /// Merges another publisher into the same step.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge3<A, B, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge3(a, b, p)
  }

  /// Merges two more publishers into the same step.
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

  /// Merges three more publishers into the same step.
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

  /// Merges four more publishers into the same step.
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

  /// Merges five more publishers into the same step.
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

  /// Merges six more publishers into the same step.
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
  /// Merges another publisher into the same step.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge4<A, B, C, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge4(a, b, c, p)
  }

  /// Merges two more publishers into the same step.
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

  /// Merges three more publishers into the same step.
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

  /// Merges four more publishers into the same step.
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

  /// Merges five more publishers into the same step.
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
  /// Merges another publisher into the same step.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge5<A, B, C, D, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge5(a, b, c, d, p)
  }

  /// Merges two more publishers into the same step.
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

  /// Merges three more publishers into the same step.
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

  /// Merges four more publishers into the same step.
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
  /// Merges another publisher into the same step.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge6<A, B, C, D, E, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge6(a, b, c, d, e, p)
  }

  /// Merges two more publishers into the same step.
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

  /// Merges three more publishers into the same step.
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
  /// Merges another publisher into the same step.
  @inlinable
  public func merge<P: Publisher>(
    with p: P
  ) -> Publishers.Merge7<A, B, C, D, E, F, P>
  where
    P.Failure == Failure, P.Output == Output
  {
    Publishers.Merge7(a, b, c, d, e, f, p)
  }

  /// Merges two more publishers into the same step.
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
  /// Merges another publisher into the same step.
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
