extension Publishers.Sequence {
  /// Returns a publisher of the elements that the closure accepts. The closure is called immediately, for each element.
  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: sequence.filter(isIncluded))
  }

  /// Returns a publisher that finishes immediately.
  @inlinable
  public func ignoreOutput() -> Empty<Output, Failure> {
    Empty()
  }

  /// Returns a publisher of the elements after the first `count`. It is lazy, so it works for an infinite sequence too.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
    .init(sequence: sequence.dropFirst(count))
  }

  /// Returns a publisher of the elements from the first that the closure rejects. It is called immediately, up to that
  /// one.
  @inlinable
  public func drop(
    while predicate: (Elements.Element) -> Bool
  ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
    .init(sequence: sequence.drop(while: predicate))
  }

  /// Returns a publisher of the first `maxLength` elements. It is lazy, so it works for an infinite sequence too.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
    .init(sequence: sequence.prefix(maxLength))
  }

  /// Returns a publisher of the elements before the first that the closure rejects. It is called immediately.
  @inlinable
  public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
    .init(sequence: sequence.prefix(while: predicate))
  }
}

extension Publishers.Sequence where Failure == Never {
  /// Returns a publisher of the first element that the closure accepts. It is called immediately, up to that element.
  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.first(where: predicate))
  }
}

extension Publishers.Sequence where Elements: Collection {
  /// Returns a publisher of the elements whose indices are in a range, within the bounds of the collection.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence.elements(in: range)))
  }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {
  /// Returns a publisher of the first element, if there is one.
  @inlinable
  public func first() -> Optional<Elements.Element>.Publisher {
    .init(sequence.first)
  }

  /// Returns a publisher of the element at an index of the collection, without a value outside of its bounds.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
    .init(sequence.element(at: index))
  }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
  /// Returns a publisher of the last element, if there is one.
  @inlinable
  public func last() -> Optional<Elements.Element>.Publisher {
    .init(sequence.last)
  }

  /// Returns a publisher of the last element that the closure accepts. It is called immediately, from the end.
  @inlinable
  public func last(where predicate: (Output) -> Bool) -> Optional<Output>.Publisher {
    .init(sequence.last(where: predicate))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// Returns a publisher of the elements whose indices are in a range, within the bounds of the collection.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    .init(sequence: Array(sequence.elements(in: range)))
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection, Failure == Never {
  /// Returns a publisher of the element at an index of the collection, without a value outside of its bounds.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Output>.Publisher {
    .init(sequence.element(at: index))
  }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  /// Returns a publisher of the given elements and then of this publisher's.
  @inlinable
  public func prepend(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> {
    prepend(elements)
  }

  /// Returns a publisher of the given elements and then of this publisher's.
  @inlinable
  public func prepend<S: Swift.Sequence>(
    _ elements: S
  ) -> Publishers.Sequence<Elements, Failure> where Elements.Element == S.Element {
    .init(sequence: Elements(elements) + sequence)
  }

  /// Returns a publisher of the other's elements and then of this publisher's.
  @inlinable
  public func prepend(
    _ publisher: Publishers.Sequence<Elements, Failure>
  ) -> Publishers.Sequence<Elements, Failure> {
    .init(sequence: publisher.sequence + sequence)
  }

  /// Returns a publisher of this publisher's elements and then of the given elements.
  @inlinable
  public func append(_ elements: Output...) -> Publishers.Sequence<Elements, Failure> {
    append(elements)
  }

  /// Returns a publisher of this publisher's elements and then of the given elements.
  @inlinable
  public func append<S: Swift.Sequence>(
    _ elements: S
  ) -> Publishers.Sequence<Elements, Failure> where Elements.Element == S.Element {
    .init(sequence: sequence + elements)
  }

  /// Returns a publisher of this publisher's elements and then of the other's.
  @inlinable
  public func append(
    _ publisher: Publishers.Sequence<Elements, Failure>
  ) -> Publishers.Sequence<Elements, Failure> {
    .init(sequence: sequence + publisher.sequence)
  }
}

extension Collection {
  @inlinable
  func element(at index: Index) -> Element? {
    index >= startIndex && index < endIndex ? self[index] : nil
  }

  @inlinable
  func elements(in range: Range<Index>) -> SubSequence {
    self[range.clamped(to: startIndex..<endIndex)]
  }
}
