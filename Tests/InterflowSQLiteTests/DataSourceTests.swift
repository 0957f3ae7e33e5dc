import Foundation
import InterflowSQLite
import InterflowTestSupport
import Testing

/// A model that follows a persistent store in three ways: a publisher, its values, and a stream of its own.
@Suite struct DataSourceTests {
  private struct APODModel: Codable, Equatable, Sendable {
    var date: String
    var title: String
  }

  private final class ApodPersistenceDataSource: Sendable {
    private let query: ObservedQuery<[APODModel]>

    init(_ database: Database) {
      query = database.observe { try $0.fetchAll(APODModel.self, sql: "SELECT * FROM apod ORDER BY date") }
    }

    var publisher: ObservedQueryPublisher<[APODModel]> { query.publisher }

    func objects() -> AsyncStream<[APODModel]> {
      AsyncStream { continuation in
        let cancellable = publisher.sink { _ in
          continuation.finish()
        } receiveValue: {
          continuation.yield($0)
        }
        continuation.onTermination = { _ in cancellable.cancel() }
      }
    }
  }

  private actor ViewModel {
    private(set) var objects: [APODModel] = []
    private let source: ApodPersistenceDataSource

    init(_ source: ApodPersistenceDataSource) { self.source = source }

    func bindValues() async throws(DatabaseError) {
      for try await objects in source.publisher.asyncValues { self.objects = objects }
    }

    func bindStream() async {
      for await objects in source.objects() { self.objects = objects }
    }
  }

  private static let models = (1...5).map { APODModel(date: "2026-11-0\($0)", title: "picture \($0)") }

  private func withSource(_ body: (Database, ApodPersistenceDataSource) async throws -> Void) async throws {
    try await withFolder { folder in
      let database = try await Database(path: folder + "/apod.sqlite")
      try await database.write { try $0.execute(sql: "CREATE TABLE apod (date TEXT PRIMARY KEY, title TEXT)") }
      try await body(database, ApodPersistenceDataSource(database))
      await database.close()
    }
  }

  private func insertModels(into database: Database) async throws {
    for model in Self.models {
      try await database.write {
        try $0.execute(sql: "INSERT INTO apod VALUES (:date, :title)", arguments: DatabaseArguments(encoding: model))
      }
    }
  }

  @Test func aPublisherUpdatesAModelOnTheMainQueue() async throws {
    try await withSource { database, source in
      let objects = Shared<[APODModel]>([])
      let cancellable = source.publisher
        .subscribe(on: DispatchQueue.global())
        .receive(on: DispatchQueue.main)
        .sink { _ in
        } receiveValue: { newData in
          dispatchPrecondition(condition: .onQueue(.main))
          objects.value = newData
        }
      try await insertModels(into: database)
      await until { objects.value == Self.models || Task.isCancelled }
      #expect(objects.value == Self.models)
      cancellable.cancel()
    }
  }

  @Test(arguments: [true, false]) func anActorFollowsTheStore(usesStream: Bool) async throws {
    try await withSource { database, source in
      let model = ViewModel(source)
      let binding = Task {
        if usesStream { await model.bindStream() } else { try await model.bindValues() }
      }
      try await insertModels(into: database)
      while await model.objects != Self.models, !Task.isCancelled { await Task.yield() }
      #expect(await model.objects == Self.models)
      // Closing completes the publisher, and with it the loop.
      await database.close()
      try await binding.value
    }
  }
}
