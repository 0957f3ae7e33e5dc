import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PublishedAfterChangeTests {
  private final class Model: ObservableObject {
    @PublishedAfterChange var name = "Ann"
    @Published var age = 1
  }

  // MARK: Values

  @Test func valueIsPublishedWhenThePropertyHasIt() {
    let model = Model()
    var seen: [String] = []
    let cancellable = model.$name.sink { seen.append("\($0) \(model.name)") }
    model.name = "Bob"
    model.name += "by"
    #expect(seen == ["Ann Ann", "Bob Bob", "Bobby Bobby"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func subscriberGetsTheLatestFirst() {
    let model = Model()
    model.name = "Bob"
    let recorder = RecordingSubscriber<String, Never>()
    model.$name.subscribe(recorder)
    model.name = "Cy"
    #expect(recorder.values == ["Bob", "Cy"])
  }

  @Test func subscriberWithoutDemandGetsTheLatestWhenItAsks() {
    let model = Model()
    let recorder = RecordingSubscriber<String, Never>(initialDemand: .none)
    model.$name.subscribe(recorder)
    model.name = "Bob"
    model.name = "Cy"
    recorder.request(.max(1))
    #expect(recorder.values == ["Cy"])
  }

  @Test func setFromInsideASubscriberReachesAllInOrder() {
    let model = Model()
    var first: [String] = []
    var second: [String] = []
    let cancellables = [
      model.$name.sink {
        first.append("\($0) \(model.name)")
        if $0 == "Bob" {
          model.name = "Cy"
          first.append("set \(model.name)")
        }
      },
      model.$name.sink { second.append("\($0) \(model.name)") },
    ]
    model.name = "Bob"
    #expect(first == ["Ann Ann", "Bob Bob", "set Cy", "Cy Cy"])
    #expect(second == ["Ann Ann", "Bob Cy", "Cy Cy"])
    #expect(model.name == "Cy")
    withExtendedLifetime(cancellables) {}
  }

  @Test func chainOfSetsDoesNotGrowTheStack() {
    final class Counter {
      @PublishedAfterChange var count = 0
    }

    let counter = Counter()
    let gauge = StackGauge()
    let cancellable = counter.$count.sink {
      gauge.measure()
      if $0 > 0, $0 < 10_000 { counter.count += 1 }
    }
    counter.count = 1
    #expect(counter.count == 10_000)
    #expect(gauge.growth < 4_096)
    withExtendedLifetime(cancellable) {}
  }

  // MARK: The object's publisher

  @Test func objectFiresBeforeTheChange() {
    let model = Model()
    var log: [String] = []
    let cancellables = [
      model.objectWillChange.sink { log.append("will \(model.name) \(model.age)") },
      model.$name.sink { log.append("did \($0)") },
    ]
    model.name = "Bob"
    model.age = 2
    #expect(log == ["did Ann", "will Ann 1", "did Bob", "will Bob 1"])
    withExtendedLifetime(cancellables) {}
  }

  @Test func objectWithNoOtherKindOfPropertyFires() {
    final class Only: ObservableObject {
      @PublishedAfterChange var number = 1
    }

    let only = Only()
    var count = 0
    let cancellable = only.objectWillChange.sink { count += 1 }
    only.number = 2
    #expect(count == 1)
    withExtendedLifetime(cancellable) {}
  }

  @Test func subclassFiresForAPropertyOfItsSuperclass() {
    class Base {
      @PublishedAfterChange var number = 1
    }
    final class Derived: Base, ObservableObject {}

    let derived = Derived()
    var seen: [Int] = []
    let cancellable = derived.objectWillChange.sink { seen.append(derived.number) }
    derived.number = 2
    #expect(seen == [1])
    withExtendedLifetime(cancellable) {}
  }

  @Test func publisherOfAnotherKindIsLeftAlone() {
    final class Custom: ObservableObject {
      let objectWillChange = PassthroughSubject<Void, Never>()
      @PublishedAfterChange var number = 1
    }

    let custom = Custom()
    var count = 0
    let cancellable = custom.objectWillChange.sink { count += 1 }
    custom.number = 2
    #expect(count == 0)
    #expect(custom.number == 2)
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Lifetime

  @Test func replacedValuesAreReleased() {
    final class Holder {
      @PublishedAfterChange var value: Tracked?
    }

    let counter = LifetimeCounter()
    var holder: Holder? = Holder()
    let recorder = RecordingSubscriber<Int?, Never>()
    holder?.value = Tracked(1, counter)
    holder?.$value.map { $0?.number }.subscribe(recorder)
    holder?.value = Tracked(2, counter)
    holder?.value = Tracked(3, counter)
    #expect(counter.count == 1)
    recorder.cancel()
    holder = nil
    #expect(counter.count == 0)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func publisherDoesNotKeepTheObjectAlive() {
    var model: Model? = Model()
    weak let gone = model
    let publisher = model?.$name
    let cancellable = publisher?.sink { _ in }
    model = nil
    #expect(gone == nil)
    withExtendedLifetime(cancellable) {}
  }

  @Test func propertyMayBeUsedWhileTheObjectEnds() {
    final class Ending: ObservableObject {
      @PublishedAfterChange var name = "Ann"
      let recorder: RecordingSubscriber<String, Never>

      init(_ recorder: RecordingSubscriber<String, Never>) { self.recorder = recorder }

      deinit {
        $name.subscribe(recorder)
        name = "Bob"
        Just("Cy").assign(to: &$name)
      }
    }

    let recorder = RecordingSubscriber<String, Never>()
    _ = Ending(recorder)
    #expect(recorder.values == ["Ann", "Bob", "Cy"])
  }

  // MARK: Following another publisher

  @Test func assignSetsThePropertyAndFiresTheObject() {
    let model = Model()
    let names = PassthroughSubject<String, Never>()
    var log: [String] = []
    let cancellable = model.objectWillChange.sink { log.append(model.name) }
    names.assign(to: &model.$name)
    names.send("Bob")
    names.send("Cy")
    #expect(log == ["Ann", "Bob"])
    #expect(model.name == "Cy")
    withExtendedLifetime(cancellable) {}
  }

  @Test func assignLastsAsLongAsTheObject() {
    let names = TestPublisher<String, Never>(keepsSubscribers: true)
    let finished = PassthroughSubject<String, Never>()
    var model: Model? = Model()
    weak let gone = model
    finished.assign(to: &model!.$name)
    finished.send(completion: .finished)
    names.assign(to: &model!.$name)
    #expect(names.requests == [.unlimited])
    names.send("Bob")
    #expect(model?.name == "Bob")
    model = nil
    #expect(gone == nil)
    #expect(names.cancellations.count == 1)
  }

  @Test func assignEndsWithTheObjectThoughItsPublisherIsHeld() {
    let names = TestPublisher<String, Never>(keepsSubscribers: true)
    var model: Model? = Model()
    let recorder = RecordingSubscriber<String, Never>()
    let publisher = model?.$name
    publisher?.subscribe(recorder)
    names.assign(to: &model!.$name)
    names.send("Bob")
    model = nil
    #expect(names.cancellations.count == 1)
    #expect(recorder.values == ["Ann", "Bob"])
    withExtendedLifetime(publisher) {}
  }

  @Test func assignThroughAHeldPublisherEndsWithTheObject() {
    let names = TestPublisher<String, Never>(keepsSubscribers: true)
    var model: Model? = Model()
    var publisher = model!.$name
    model = nil
    names.assign(to: &publisher)
    #expect(names.cancellations.count == names.subscriptions.count)
  }

  @Test func firstValueDuringADeliveryIsTheOneDelivered() {
    let model = Model()
    let late = RecordingSubscriber<String, Never>()
    var seen = ""
    let cancellable = model.$name.sink { name in
      if name == "Bob" {
        model.name = "Cy"
        model.$name.subscribe(late)
        seen = model.name
      }
    }
    model.name = "Bob"
    #expect(seen == "Cy")
    #expect(late.values == ["Bob", "Cy"])
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Threads

  @Test func lastValuePublishedIsTheOneThatStays() {
    final class Register: @unchecked Sendable {  // The wrapper guards its value.
      @PublishedAfterChange var number = 0
    }

    for _ in 0..<200 {
      let register = Register()
      let probes = [SerialProbe<Int, Never>(), SerialProbe<Int, Never>()]
      for probe in probes { register.$number.subscribe(probe) }
      inParallel(3) { thread in
        for step in 0..<50 { register.number = thread * 1_000 + step }
      }
      for probe in probes {
        #expect(probe.violations == 0)
        #expect(probe.values.count == 151)
        #expect(probe.values.last == register.number)
        for thread in 0..<3 {
          #expect(probe.values.dropFirst().filter { $0 / 1_000 == thread } == (0..<50).map { thread * 1_000 + $0 })
        }
      }
    }
  }

  @Test func subscribersAreCalledWithoutALock() {
    final class Register: ObservableObject, @unchecked Sendable {  // The wrapper guards its value.
      @PublishedAfterChange var number = 0
    }

    let register = Register()
    let outcomes = Shared<[Bool]>([])
    let cancellables = [
      register.objectWillChange.sink {
        outcomes.update { $0.append(onOtherThread { _ = register.number }) }
      },
      register.$number.dropFirst().sink {
        if $0 == 1 {
          outcomes.update { $0.append(onOtherThread { register.$number.subscribe(RecordingSubscriber()) }) }
        }
      },
    ]
    register.number = 1
    #expect(outcomes.value == [true, true])
    withExtendedLifetime(cancellables) {}
  }

  @Test func objectMayEndWhileAValueIsAssigned() {
    final class Register: ObservableObject, @unchecked Sendable {  // The wrapper guards its value.
      @PublishedAfterChange var number = 0

      init(_ numbers: some Publisher<Int, Never>) {
        numbers.assign(to: &$number)
        number = 1
      }

      deinit { _ = number }
    }

    for _ in 0..<stressRuns {
      let numbers = PassthroughSubject<Int, Never>()
      let register = Shared<Register?>(Register(numbers))
      inParallel(2) { thread in
        if thread == 0 {
          for number in 0..<20 { numbers.send(number) }
        } else {
          register.value = nil
        }
      }
      numbers.send(0)
    }
  }
}
