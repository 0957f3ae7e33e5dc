extension Publishers {
  /// A publisher of the values of any number of publishers of the same type, as they arrive.
  @frozen
  public struct MergeMany<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publishers.
    public let publishers: [Upstream]

    /// Merges publishers.
    @inlinable
    public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    /// Merges the publishers in a sequence.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
      publishers = Array(upstream)
    }

    /// Attaches a subscriber. Without publishers the stream finishes at once.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      MergeSubscription(subscriber, "Merge").start { merge in
        for publisher in publishers { merge.add(publisher) }
      }
    }

    /// Adds another publisher to this merge.
    @inlinable
    public func merge(with other: Upstream) -> Publishers.MergeMany<Upstream> {
      Publishers.MergeMany(publishers + [other])
    }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
extension Publishers.MergeMany: Sendable where Upstream: Sendable {}
