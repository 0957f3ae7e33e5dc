import Foundation
import Interflow
import InterflowSQLite
import Testing

// From a published article on replacing a Combine publisher of persisted objects with an AsyncSequence, over a real
// store: `InterflowSQLite` in the place of Core Data.
//
// Deviations:
// - An observed query stands for `NSFetchedResultsController` and its delegate: it tells of the changes itself. `Apod`,
//   the managed object, is a row, and `APODModel(coreDataApod:)` is `APODModel(apod:)`.
// - `NSObject` is no superclass: only Core Data's delegate protocol needs it.
// - `publisher` is an `AnyPublisher` of the same output that fails with `DatabaseError`, where the text has a
//   `CurrentValueSubject` that fails with `CoreDataError`; it has the current value first as well.
// - `var objects`, where the text has `let` and assigns to it; `self.`, where an actor's method has `self?.`.
// - `sink` takes a closure for the completion too, and the loop has `try`: the publisher may fail.
// - The view model tells the test what it was given.

private struct Apod: Codable {
  var id: Int
  var title: String
}

extension APODModel {
  fileprivate init?(apod: Apod) { self.init(title: apod.title) }
}

private enum Stored {
  class ApodPersistenceDataSource {
    var publisher: AnyPublisher<[APODModel], DatabaseError>
    private let fetchedResults: ObservedQuery<[APODModel]>

    init(_ database: Database) {
      fetchedResults = database.observe { context in
        let fetchedData = try context.fetchAll(Apod.self, sql: "SELECT * FROM apod ORDER BY id")
        let mappedData = fetchedData.compactMap { APODModel(apod: $0) }
        return mappedData
      }
      publisher = fetchedResults.publisher.eraseToAnyPublisher()
    }

    private var cancellable: AnyCancellable?

    public func getObjects() -> AsyncStream<[APODModel]> {
      AsyncStream<[APODModel]> { [weak self] continuation in
        guard let self = self else {
          continuation.finish()
          return
        }
        self.cancellable = self.publisher.sink { _ in
          continuation.finish()
        } receiveValue: { newData in
          continuation.yield(newData)
        }
      }
    }
  }

  class ViewModelOnQueues: @unchecked Sendable {  // `objects` is touched on the main queue alone.
    var objects: [APODModel]? {
      didSet { console.print(objects!.map(\.title)) }
    }
    let persistenceSource: ApodPersistenceDataSource
    var cancellables = Set<AnyCancellable>()
    let console: Console

    init(_ persistenceSource: ApodPersistenceDataSource, _ console: Console) {
      self.persistenceSource = persistenceSource
      self.console = console
    }

    public func bindDataSource() {
      persistenceSource.publisher
        .subscribe(on: DispatchQueue.global())
        .receive(on: DispatchQueue.main)
        .sink { _ in
        } receiveValue: { [weak self] newData in
          self?.objects = newData
        }
        .store(in: &cancellables)
    }
  }

  actor ViewModel {
    let persistenceSource: ApodPersistenceDataSource
    var objects: [APODModel] = [] {
      didSet { console.print(objects.map(\.title)) }
    }
    let console: Console

    init(_ persistenceSource: ApodPersistenceDataSource, _ console: Console) {
      self.persistenceSource = persistenceSource
      self.console = console
    }

    public func bindDataSource() async throws {
      for try await objects in persistenceSource.publisher.values {
        self.objects = objects
      }
    }

    public func bindStream() async {
      for await newObjects in persistenceSource.getObjects() {
        self.objects = newObjects
      }
    }
  }
}

@Suite struct StoredDataSourceTests {
  private let console = Console()
  private let expected = ["[]", #"["Andromeda"]"#, #"["Andromeda", "Pleiades"]"#]

  private func withDatabase(_ body: (Database) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try await Database(path: folder.appendingPathComponent("apod.sqlite").path)
    try await database.write { try $0.execute(sql: "CREATE TABLE apod (id INTEGER PRIMARY KEY, title TEXT NOT NULL)") }
    try await body(database)
    await database.close()
  }

  /// Stores two pictures, the second when the first has been shown.
  private func store(in database: Database) async throws {
    await console.waitForLines(1)
    for (count, title) in ["Andromeda", "Pleiades"].enumerated() {
      try await database.write { context in
        try context.execute(sql: "INSERT INTO apod (title) VALUES (?)", arguments: [title])
      }
      await console.waitForLines(count + 2)
    }
  }

  @Test func theCombineApproach() async throws {
    try await withDatabase { database in
      let model = Stored.ViewModelOnQueues(Stored.ApodPersistenceDataSource(database), console)
      model.bindDataSource()
      try await store(in: database)
      #expect(console.lines == expected)
    }
  }

  @Test func theEasyWayIsValues() async throws {
    try await withDatabase { database in
      let model = Stored.ViewModel(Stored.ApodPersistenceDataSource(database), console)
      let binding = Task { try await model.bindDataSource() }
      try await store(in: database)
      // The publisher finishes with the database, and the loop with the publisher.
      await database.close()
      try await binding.value
      #expect(console.lines == expected)
    }
  }

  @Test func theOtherWayIsAStreamOfOnesOwn() async throws {
    try await withDatabase { database in
      let model = Stored.ViewModel(Stored.ApodPersistenceDataSource(database), console)
      let binding = Task { await model.bindStream() }
      try await store(in: database)
      binding.cancel()
      await binding.value
      #expect(console.lines == expected)
    }
  }

  @Test func aFailureOfTheStoreEndsTheBinding() async throws {
    try await withDatabase { database in
      let model = Stored.ViewModel(Stored.ApodPersistenceDataSource(database), console)
      let binding = Task { try await model.bindDataSource() }
      await console.waitForLines(1)
      try await database.write { try $0.execute(sql: "DROP TABLE apod") }
      await #expect(throws: DatabaseError.self) { try await binding.value }
    }
  }
}
