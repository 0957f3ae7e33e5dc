import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

@Suite("ObservableObject")
struct ObservableObjectTests {
  // MARK: Firing

  final class Contact: ObservableObject {
    @Published var name = "Ann"
    @Published private var age = 1
    var note = ""
    lazy var greeting = "Hello \(name)"

    func grow() { age += 1 }
    var years: Int { age }
  }

  @Test func eachChangeFiresOnceBeforeIt() {
    let contact = Contact()
    var seen: [String] = []
    let cancellable = contact.objectWillChange.sink { seen.append("\(contact.name) \(contact.years)") }
    #expect(seen.isEmpty)
    contact.name = "Bob"
    contact.grow()
    contact.note = "not published"
    contact.name = "Bob"
    #expect(seen == ["Ann 1", "Bob 1", "Bob 2"])
    #expect(contact.greeting == "Hello Bob")
    cancellable.cancel()
    contact.name = "Eve"
    #expect(seen.count == 3)
  }

  @Test func theObjectFiresBeforeThePropertysOwnPublisher() {
    let contact = Contact()
    var seen: [String] = []
    let property = contact.$name.dropFirst().sink { seen.append($0) }
    let object = contact.objectWillChange.sink { seen.append("change") }
    contact.name = "Bob"
    #expect(seen == ["change", "Bob"])
    property.cancel()
    object.cancel()
  }

  @Test func subscribingToThePropertyFromInsideStillComesBeforeTheChange() {
    let contact = Contact()
    var seen: [String] = []
    var cancellables: Set<AnyCancellable> = []
    contact.objectWillChange
      .prefix(1)
      .sink { contact.$name.sink { seen.append("\($0) while \(contact.name)") }.store(in: &cancellables) }
      .store(in: &cancellables)
    contact.name = "Bob"
    #expect(seen == ["Ann while Ann", "Bob while Ann"])
    #expect(contact.name == "Bob")
  }

  @Test func aSetNestedInObjectWillChangeIsOverwritten() {
    let contact = Contact()
    let values = contact.$name.recorded()
    var isNested = false
    let cancellable = contact.objectWillChange.sink {
      guard !isNested else { return }
      isNested = true
      contact.name = "nested"
    }
    contact.name = "outer"
    #expect(contact.name == "outer")
    #expect(values.values == ["Ann", "nested", "outer"])
    cancellable.cancel()
  }

  @Test func thereIsOnePublisherForOneObject() {
    let (contact, other) = (Contact(), Contact())
    #expect(contact.objectWillChange === contact.objectWillChange)
    #expect(contact.objectWillChange !== other.objectWillChange)
  }

  @Test func aWrapperThatIsReplacedFiresTheSamePublisherOnceItIsAskedFor() {
    final class Resettable: ObservableObject {
      @Published var first = 1
      @Published var second = 2
      func reset() { _first = Published(initialValue: 0) }
    }

    let object = Resettable()
    let publisher = object.objectWillChange
    let recorder = publisher.recorded()
    object.reset()
    #expect(object.objectWillChange === publisher)
    object.first = 3
    object.second = 4
    #expect(recorder.values.count == 2)
  }

  // MARK: Kinds of classes

  class Base: ObservableObject {
    @Published var base = 0
    private(set) var numbers: [Int] = []
  }

  class Middle: Base {
    let text = "no property of its own that is published"
    weak var neighbour: Middle?
  }

  final class Derived: Middle {
    @Published var derived: Set<String> = []
    private var closure: () -> Void = {}
  }

  @Test func propertiesOfSuperclassesFire() {
    let derived = Derived()
    let recorder = derived.objectWillChange.recorded()
    derived.base = 1
    derived.derived.insert("a")
    #expect(recorder.values.count == 2)
    let middle: Base = Middle()
    let other = middle.objectWillChange.recorded()
    middle.base = 2
    #expect(other.values.count == 1)
    #expect(recorder.values.count == 2)
  }

  final class Generic<Element, Key: Hashable>: ObservableObject {
    let keys: [Key: Element] = [:]
    @Published var elements: [Element]
    @Published var byKey: [Key: Element] = [:]

    init(_ elements: [Element]) { self.elements = elements }
  }

  @Test func genericClassesFire() {
    let numbers = Generic<Int, String>([1])
    let texts = Generic<String?, UInt8>([nil])
    let (first, second) = (numbers.objectWillChange.recorded(), texts.objectWillChange.recorded())
    numbers.elements.append(2)
    numbers.byKey["a"] = 3
    texts.byKey[1] = "b"
    #expect(first.values.count == 2)
    #expect(second.values.count == 1)
  }

  class GenericBase<Value>: ObservableObject {
    @Published var value: Value
    init(_ value: Value) { self.value = value }
  }

  final class Concrete: GenericBase<(Int, String)> {
    @Published var more = [1.5]
  }

  @Test func subclassesOfGenericClassesFire() {
    let object = Concrete((1, "a"))
    let recorder = object.objectWillChange.recorded()
    object.value = (2, "b")
    object.value.0 = 3
    object.more = []
    #expect(recorder.values.count == 3)
    #expect(object.value == (3, "b"))
  }

  /// Shows a mirror of something else than what it is made of.
  final class Masked: ObservableObject, CustomReflectable {
    @Published var value = 0

    var customMirror: Mirror {
      Issue.record("nobody needs the mirror")
      return Mirror(self, children: ["value": Published(initialValue: "another")])
    }
  }

  @Test func aMirrorOfItsOwnIsNotAsked() {
    let masked = Masked()
    let recorder = masked.objectWillChange.recorded()
    masked.value = 1
    #expect(recorder.values.count == 1)
  }

  protocol Marker: AnyObject {}

  struct Handle: ~Copyable {
    var number = 1
  }

  /// Has a field of every kind before the one that counts, so that its place is found past each.
  final class Mixed: NSObject, ObservableObject {
    let mutex = Mutex(1)
    let atomic = Atomic<UInt8>(1)
    let handle = Handle()
    let byte: UInt8 = 1
    let tuple: (Int8, label: String) = (1, "")
    let function: @Sendable (Int) -> String? = { "\($0)" }
    let type: any Marker.Type = Neighbour.self
    weak var weakNeighbour: Neighbour?
    unowned let neighbour: Neighbour
    unowned(unsafe) let unsafeNeighbour: Neighbour
    var existential: (any Marker)?
    var error: (any Error)?
    lazy var late = { [1] }()
    var observed = 0 {
      didSet { observed += 0 }
    }
    @Published var counted = 0
    let last: UInt8 = 1

    init(_ neighbour: Neighbour) {
      self.neighbour = neighbour
      unsafeNeighbour = neighbour
    }
  }

  final class Neighbour: Marker {}

  @Test func fieldsOfEveryKindAreSkipped() {
    let neighbour = Neighbour()
    let mixed = Mixed(neighbour)
    let recorder = mixed.objectWillChange.recorded()
    mixed.counted = 1
    mixed.observed = 2
    mixed.existential = neighbour
    #expect(recorder.values.count == 1)
    #expect(mixed.counted == 1)
    #expect(mixed.late == [1])
  }

  @MainActor
  final class Screen: ObservableObject {
    @Published var title = ""
    @Published private(set) var isLoading = false

    func load() async {
      isLoading = true
      await Task.yield()
      title = "loaded"
      isLoading = false
    }
  }

  @MainActor
  @Test func classesOfTheMainActorFire() async {
    let screen = Screen()
    let (changes, titles) = (screen.objectWillChange.recorded(), screen.$title.recorded())
    await screen.load()
    #expect(changes.values.count == 3)
    #expect(titles.values == ["", "loaded"])
  }

  // MARK: Classes without such properties

  final class Plain: ObservableObject {
    var value = 0 {
      willSet { objectWillChange.send() }
    }
  }

  @Test func aPlainObjectKeepsOnePublisherOfItsOwn() {
    let objects = (0..<200).map { _ in Plain() }
    let recorders = objects.map { $0.objectWillChange.recorded() }
    for object in objects { object.value = 1 }
    #expect(recorders.allSatisfy { $0.values.count == 1 })
    #expect(objects.allSatisfy { $0.objectWillChange === $0.objectWillChange })
    #expect(Set(objects.map { ObjectIdentifier($0.objectWillChange) }).count == objects.count)
  }

  @Test func anObjectAtAnotherOnesOldPlaceGetsAPublisherOfItsOwn() {
    var publishers: [ObservableObjectPublisher] = []
    var places: Set<ObjectIdentifier> = []
    // Memory is reused soon. Where it is not the test shows nothing, and the limit ends it.
    for _ in 0..<10_000 where publishers.count == places.count {
      let plain = Plain()
      places.insert(ObjectIdentifier(plain))
      publishers.append(plain.objectWillChange)
    }
    #expect(Set(publishers.map { ObjectIdentifier($0) }).count == publishers.count)
  }

  /// Asks for publishers while it goes, its own among them.
  final class Leaving: ObservableObject {
    let neighbour: Plain
    let seen: Shared<Int>

    init(_ neighbour: Plain, _ seen: Shared<Int>) {
      self.neighbour = neighbour
      self.seen = seen
    }

    deinit {
      objectWillChange.send()
      neighbour.objectWillChange.send()
      seen.update { $0 += 1 }
    }
  }

  @Test func objectsMayAskForPublishersWhileTheyGo() {
    let seen = Shared(0)
    let isDone = onOtherThread {
      inParallel(4) { _ in
        for _ in 0..<1_000 {
          let leaving = Leaving(Plain(), seen)
          _ = leaving.objectWillChange
        }
      }
    }
    #expect(isDone, "a lock is held while an object goes")
    #expect(seen.value == 4_000)
  }

  // MARK: Publishers of one's own

  final class Custom: ObservableObject {
    let objectWillChange = PassthroughSubject<String, Never>()
    var name = "" {
      willSet { objectWillChange.send(newValue) }
    }
    @Published var counted = 0
  }

  @Test func aPublisherOfAnotherKindIsTheObjectsOwnBusiness() {
    let custom = Custom()
    let recorder = custom.objectWillChange.recorded()
    custom.name = "a"
    custom.counted = 1
    #expect(recorder.values == ["a"])
  }

  final class SelfMade: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    @Published var counted = 0
  }

  @Test func aPublisherOfTheUsualKindIsTheObjectsOwnBusinessToo() {
    let object = SelfMade()
    let recorder = object.objectWillChange.recorded()
    object.counted = 1
    #expect(recorder.values.isEmpty)
    object.objectWillChange.send()
    #expect(recorder.values.count == 1)
    #expect(recorder.subscriptionNames == ["ObservableObjectPublisher"])
  }

  func changes<Object: ObservableObject>(of object: Object) -> AnyPublisher<Void, Never> {
    object.objectWillChange.map { _ in }.eraseToAnyPublisher()
  }

  @Test func objectsOfEveryKindAreObservedAlike() {
    let (contact, custom) = (Contact(), Custom())
    let (first, second) = (changes(of: contact).recorded(), changes(of: custom).recorded())
    contact.name = "Bob"
    custom.name = "Bob"
    #expect(first.values.count == 1)
    #expect(second.values.count == 1)
  }

  // MARK: Demand

  @Test func anyRequestIsOneForEveryChange() {
    let publisher = ObservableObjectPublisher()
    let recorder = publisher.recorded(demand: .none)
    publisher.send()
    recorder.request(.none)
    publisher.send()
    #expect(recorder.values.isEmpty)
    recorder.request(.max(1))
    publisher.send()
    publisher.send()
    publisher.send()
    #expect(recorder.values.count == 3)
  }

  // MARK: Threads

  final class Tally: ObservableObject, @unchecked Sendable {  // The property's own lock guards it.
    @Published var first = 0
    @Published var second = 0
  }

  final class PlainTally: ObservableObject, Sendable {}

  @Test func threadsThatAskAtOnceGetOnePublisher() {
    for _ in 0..<200 {
      let (tally, plain) = (Tally(), PlainTally())
      let publishers = Shared<[(ObservableObjectPublisher, ObservableObjectPublisher)]>([])
      inParallel(3) { _ in
        let pair = (tally.objectWillChange, plain.objectWillChange)
        publishers.update { $0.append(pair) }
      }
      #expect(publishers.value.allSatisfy { $0.0 === tally.objectWillChange })
      #expect(publishers.value.allSatisfy { $0.1 === plain.objectWillChange })
      let recorder = tally.objectWillChange.recorded()
      tally.first = 1
      tally.second = 1
      #expect(recorder.values.count == 2)
    }
  }

  @Test func changesFromSeveralThreadsAllFire() {
    let tally = Tally()
    let recorder = tally.objectWillChange.recorded()
    inParallel(4) { thread in
      for number in 0..<100 {
        if thread.isMultiple(of: 2) { tally.first = number } else { tally.second = number }
      }
    }
    #expect(recorder.values.count == 400)
  }

  // MARK: Release

  @Test func neitherTheObjectNorItsObserversAreKeptAlive() {
    let counter = LifetimeCounter()
    final class Owner: ObservableObject {
      let token: LifetimeCounter.Token
      @Published var value = 0
      init(_ token: LifetimeCounter.Token) { self.token = token }
    }

    do {
      let (owner, observed) = (Owner(counter.make()), counter.make())
      let cancellable = owner.objectWillChange.sink { observed.touch() }
      owner.value = 1
      cancellable.cancel()
      owner.objectWillChange.subscribe(RecordingSubscriber())
    }
    #expect(counter.count == 0)
  }
}
