import Combine
import Interflow

/// The results of an observed query, each with its difference from the one before.
public struct ObservedFetchedResults<Element: Identifiable & Equatable & Sendable>: Sendable {
  let query: ObservedQuery<[Element]>

  /// A publisher of the results, the current one first. Each subscriber has differences of its own, from the result that
  /// it has received before.
  public var publisher: Publishers.Scan<ObservedQueryPublisher<[Element]>, FetchedResults<Element>> {
    query.publisher.scan(FetchedResults()) { FetchedResults($1, after: $0.elements) }
  }

  /// The results as an asynchronous sequence, the current one first.
  public var values: AsyncValues<Publishers.Scan<ObservedQueryPublisher<[Element]>, FetchedResults<Element>>> {
    AsyncValues(publisher)
  }
}

extension ObservedQuery {
  /// The results of the query, each with its difference from the one before. A list that has not changed is not
  /// delivered again.
  public func fetchedResults<Element: Identifiable & Equatable & Sendable>() -> ObservedFetchedResults<Element>
  where Value == [Element] {
    ObservedFetchedResults(query: removeDuplicates())
  }
}
