import Foundation
import Interflow
import Testing

// From a published article on replacing a Combine publisher of persisted objects with an AsyncSequence.
//
// Deviations:
// - `FetchedResultsController` stands for Core Data's `NSFetchedResultsController`, which Linux does not have.
// - `NSObject` is no superclass: only Core Data's delegate protocol needs it.
// - `var objects`, where the text has `let` and assigns to it; `self.`, where an actor's method has `self?.`.
// - `try`, and `!` after `publisher`: the text's publisher is optional and fails with `CoreDataError`, and neither can
//   be passed over.
// - `sink` takes a closure for the completion too: it has to, where the publisher may fail.
// - The delegate method publishes where it is called: without Core Data there is no `context` to `perform` it.
// - The view model tells the test what it was given.

struct APODModel: Equatable, Sendable {
  let title: String
}

enum CoreDataError: Error {
  case unavailable
}

protocol FetchedResultsControllerDelegate: AnyObject {
  func controllerDidChangeContent(_: FetchedResultsController)
}

final class FetchedResultsController {
  weak var delegate: FetchedResultsControllerDelegate?
  private(set) var fetchedObjects: [String]?

  func fetched(_ titles: String...) {
    fetchedObjects = titles
    delegate?.controllerDidChangeContent(self)
  }
}

enum Publishing {
  class ApodPersistenceDataSource {
    var publisher: CurrentValueSubject<[APODModel], CoreDataError>?
    private let fetchedResultController: FetchedResultsController

    private var currentData: [APODModel] {
      let fetchedData = fetchedResultController.fetchedObjects ?? []
      let mappedData = fetchedData.compactMap { APODModel(title: $0) }
      return mappedData
    }

    init(_ fetchedResultController: FetchedResultsController) {
      self.fetchedResultController = fetchedResultController
      publisher = CurrentValueSubject(currentData)
      fetchedResultController.delegate = self
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
      persistenceSource.publisher!
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
      for try await objects in persistenceSource.publisher!.values {
        self.objects = objects
      }
    }
  }
}

extension Publishing.ApodPersistenceDataSource: FetchedResultsControllerDelegate {
  func controllerDidChangeContent(_: FetchedResultsController) {
    self.publisher?.send(self.currentData)
  }
}

enum Streaming {
  class ApodPersistenceDataSource {
    private var newDataAppeared: (([APODModel]) -> Void)?
    private var fetchedResultController: FetchedResultsController?

    private var currentData: [APODModel] {
      let fetchedData = fetchedResultController?.fetchedObjects ?? []
      let mappedData = fetchedData.compactMap { APODModel(title: $0) }
      return mappedData
    }

    init(_ fetchedResultController: FetchedResultsController) {
      self.fetchedResultController = fetchedResultController
      fetchedResultController.delegate = self
    }

    public func getObjects() -> AsyncStream<[APODModel]> {
      AsyncStream<[APODModel]> { [weak self] continuation in
        guard let self = self else {
          continuation.finish()
          return
        }
        continuation.yield(self.currentData)

        self.newDataAppeared = { newData in
          continuation.yield(newData)
        }
      }
    }
  }

  actor ViewModel {
    let dataSource: ApodPersistenceDataSource
    var objects: [APODModel] = [] {
      didSet { console.print(objects.map(\.title)) }
    }
    let console: Console

    init(_ dataSource: ApodPersistenceDataSource, _ console: Console) {
      self.dataSource = dataSource
      self.console = console
    }

    public func bindDataSource() async {
      for await newObjects in dataSource.getObjects() {
        self.objects = newObjects
      }
    }
  }
}

extension Streaming.ApodPersistenceDataSource: FetchedResultsControllerDelegate {
  public func controllerDidChangeContent(_: FetchedResultsController) {
    newDataAppeared?(currentData)
  }
}

@Suite struct DataSourceTests {
  private let console = Console()
  private let controller = FetchedResultsController()

  @Test func theCombineApproach() async {
    let source = Publishing.ApodPersistenceDataSource(controller)
    let model = Publishing.ViewModelOnQueues(source, console)
    model.bindDataSource()
    await console.waitForLines(1)
    controller.fetched("Andromeda")
    await console.waitForLines(2)
    controller.fetched("Andromeda", "Pleiades")
    await console.waitForLines(3)
    #expect(console.lines == ["[]", #"["Andromeda"]"#, #"["Andromeda", "Pleiades"]"#])
  }

  @Test func theEasyWayIsValues() async throws {
    let source = Publishing.ApodPersistenceDataSource(controller)
    let model = Publishing.ViewModel(source, console)
    let binding = Task { try await model.bindDataSource() }
    await console.waitForLines(1)
    controller.fetched("Andromeda")
    await console.waitForLines(2)
    controller.fetched("Andromeda", "Pleiades")
    await console.waitForLines(3)
    source.publisher?.send(completion: .finished)
    try await binding.value
    #expect(console.lines == ["[]", #"["Andromeda"]"#, #"["Andromeda", "Pleiades"]"#])
  }

  @Test func aFailureOfThePublisherEndsTheBinding() async {
    let source = Publishing.ApodPersistenceDataSource(controller)
    let model = Publishing.ViewModel(source, console)
    source.publisher?.send(completion: .failure(.unavailable))
    await #expect(throws: CoreDataError.unavailable) { try await model.bindDataSource() }
  }

  @Test func theOtherWayIsAStreamOfOnesOwn() async {
    let source = Streaming.ApodPersistenceDataSource(controller)
    let model = Streaming.ViewModel(source, console)
    let binding = Task { await model.bindDataSource() }
    await console.waitForLines(1)
    controller.fetched("Andromeda")
    await console.waitForLines(2)
    binding.cancel()
    await binding.value
    #expect(console.lines == ["[]", #"["Andromeda"]"#])
  }

  @Test func thatStreamIsAPublisherAgain() async {
    let source = Streaming.ApodPersistenceDataSource(controller)
    let cancellable = source.getObjects().publisher.sink { [console] in console.print($0.map(\.title)) }
    await console.waitForLines(1)
    controller.fetched("Andromeda")
    await console.waitForLines(2)
    cancellable.cancel()
    #expect(console.lines == ["[]", #"["Andromeda"]"#])
  }
}
