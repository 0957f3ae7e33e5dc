/// The elements that a query has found, and how they differ from those before.
///
/// ```swift
/// let pictures = database.observe { db in
///   try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY day, title")
/// }
/// for try await results in pictures.fetchedResults().values {
///   table.apply(results.changes)
///   show(results.sections(by: \.day))
/// }
/// ```
public struct FetchedResults<Element: Identifiable & Equatable> {
  /// The elements, in the order of the query.
  public let elements: [Element]

  /// How they differ from the elements before; the first time, all are inserted.
  public let changes: FetchedChanges

  /// No elements.
  public init() {
    (elements, changes) = ([], FetchedChanges())
  }

  init(_ elements: [Element], after before: [Element]) {
    self.elements = elements
    changes = FetchedChanges(from: before, to: elements)
  }

  /// Groups the elements. An element begins a new section if its key is not that of the element before, so the query
  /// orders by the key first.
  ///
  /// - Parameter key: What the elements of a section have in common.
  public func sections<Key: Equatable>(by key: KeyPath<Element, Key>) -> [FetchedSection<Key, Element>] {
    var sections: [FetchedSection<Key, Element>] = []
    var start = 0
    for end in elements.indices.map({ $0 + 1 }) {
      let value = elements[start][keyPath: key]
      guard end == elements.count || elements[end][keyPath: key] != value else { continue }
      sections.append(FetchedSection(key: value, elements: elements[start..<end]))
      start = end
    }
    return sections
  }
}

extension FetchedResults: Sendable where Element: Sendable {}

/// Elements next to each other that have a key in common.
public struct FetchedSection<Key: Equatable, Element> {
  /// What they have in common.
  public let key: Key
  /// The elements, with the indices that they have in the whole list.
  public let elements: ArraySlice<Element>
}

extension FetchedSection: Sendable where Key: Sendable, Element: Sendable {}
