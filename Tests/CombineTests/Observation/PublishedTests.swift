import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// `@Published` as a publisher of a property's values. On a structure's property the compiler refuses it:
/// `wrappedValue` is unavailable.
@Suite("Published")
struct PublishedTests {
  final class Model<Value> {
    @Published var value: Value

    init(_ value: Value) { self.value = value }
  }

  // MARK: Values

  @Test func aSubscriberGetsThePresentValueAndThenEachNewOne() {
    let model = Model(1)
    model.value = 2
    let recorder = model.$value.recorded()
    model.value = 3
    model.value = 3
    #expect(recorder.values == [2, 3, 3])
    #expect(recorder.subscriptionNames == ["PublishedSubject"])
    #expect(recorder.completions == 0)
  }

  @Test func theValueIsSentBeforeThePropertyChanges() {
    let model = Model("old")
    var seen: [String] = []
    let cancellable = model.$value.sink { seen.append("\($0) while \(model.value)") }
    model.value = "new"
    #expect(seen == ["old while old", "new while old"])
    #expect(model.value == "new")
    cancellable.cancel()
  }

  @Test func laterSubscribersGetThePresentValue() {
    let model = Model(0)
    let first = model.$value.recorded()
    model.value = 1
    let second = model.$value.recorded()
    model.value = 2
    let third = model.$value.recorded()
    #expect(first.values == [0, 1, 2])
    #expect(second.values == [1, 2])
    #expect(third.values == [2])
  }

  @Test func changingAnArrayInPlacePublishesOnceForEachChange() {
    let model = Model([1])
    let recorder = model.$value.recorded()
    model.value.append(2)
    model.value[0] = 0
    model.value.removeAll { $0 == 0 }
    #expect(recorder.values == [[1], [1, 2], [0, 2], [2]])
    #expect(model.value == [2])
  }

  @Test func optionalValuesArePublishedAsTheyAre() {
    let model = Model<Int?>(nil)
    let recorder = model.$value.recorded()
    model.value = 1
    model.value? += 1
    model.value = nil
    #expect(recorder.values == [nil, 1, 2, nil])
  }

  @Test func aSubscriberOutlivesTheObject() {
    var model: Model<Int>? = Model(1)
    let publisher = model?.$value
    let recorder = publisher?.recorded()
    model = nil
    #expect(recorder?.log == ["1"])
    #expect(publisher?.recorded().values == [1])
  }

  @Test func wrappersCanBeGivenToTheInitializer() {
    final class Titled {
      @Published var title: String
      @Published(initialValue: 3) var count: Int

      init(title: Published<String>) { _title = title }
    }

    let titled = Titled(title: Published(wrappedValue: "first"))
    let recorder = titled.$title.recorded()
    titled.title = "second"
    #expect(recorder.values == ["first", "second"])
    #expect(titled.count == 3)
  }

  // MARK: Demand

  @Test func withoutDemandOnlyTheLatestValueIsKept() {
    let model = Model(0)
    let recorder = model.$value.recorded(demand: .none)
    model.value = 1
    model.value = 2
    #expect(recorder.values.isEmpty)
    recorder.request(.max(1))
    #expect(recorder.values == [2])
    model.value = 3
    model.value = 4
    recorder.request(.max(2))
    #expect(recorder.values == [2, 4])
    model.value = 5
    model.value = 6
    #expect(recorder.values == [2, 4, 5])
  }

  // MARK: Setting from inside

  @Test func ofNestedSetsTheOuterStays() {
    let model = Model(0)
    var seen: [Int] = []
    let cancellable = model.$value.sink { value in
      seen.append(value)
      if value == 1 { model.value = 2 }
    }
    model.value = 1
    #expect(seen == [0, 1, 2])
    #expect(model.value == 1)
    #expect(model.$value.recorded().values == [1])
    cancellable.cancel()
  }

  @Test func ofSetsNestedMoreThanOnceTheOutermostStays() {
    let model = Model(0)
    var ends: [Int] = []
    let cancellable = model.$value.sink { value in
      guard (1..<4).contains(value) else { return }
      model.value = value + 1
      ends.append(model.value)
    }
    model.value = 1
    #expect(ends == [4, 3, 2])
    #expect(model.value == 1)
    #expect(model.$value.recorded().values == [1])
    cancellable.cancel()
  }

  @Test func aSetNestedInTheFirstValueStays() {
    let model = Model(0)
    let cancellable = model.$value.sink { if $0 == 0 { model.value = 1 } }
    #expect(model.value == 1)
    #expect(model.$value.recorded().values == [1])
    cancellable.cancel()
  }

  @Test func subscribersMayCancelEachOtherAndSubscribeFromInside() {
    let model = Model(0)
    let other = model.$value.recorded(demand: .none)
    var inner: AnyCancellable?
    var innerValues: [Int] = []
    let cancellable = model.$value.sink { value in
      guard value == 1 else { return }
      other.cancel()
      inner = model.$value.sink { innerValues.append($0) }
    }
    model.value = 1
    model.value = 2
    other.request(.unlimited)
    #expect(other.values.isEmpty)
    #expect(innerValues == [1, 2])
    cancellable.cancel()
    inner?.cancel()
  }

  // MARK: Threads

  /// Lets several threads share what the tests say is safe to share.
  final class SharedModel: @unchecked Sendable {  // The property's own lock guards it.
    @Published var value = 0
  }

  @Test func theLastValuePublishedIsTheFinalValueOfTheProperty() {
    for _ in 0..<200 {
      let model = SharedModel()
      let recorder = model.$value.recorded()
      inParallel(4) { thread in
        for number in 1...20 { model.value = thread * 100 + number }
      }
      #expect(recorder.values.count == 81)
      #expect(recorder.values.last == model.value)
      #expect(model.$value.recorded().values == [model.value])
    }
  }

  @Test func theLastValuePublishedIsTheFinalOneAlsoForWhoComesMeanwhile() {
    for _ in 0..<500 {
      let model = SharedModel()
      let recorder = RecordingSubscriber<Int, Never>()
      inParallel(3) { thread in
        if thread == 0 {
          model.$value.subscribe(recorder)
        } else {
          model.value = thread
        }
      }
      #expect(recorder.values.last == model.value)
    }
  }

  @Test func aThreadReadsWhatItHasWritten() {
    let model = SharedModel()
    let recorder = model.$value.recorded()
    let busy = BusyThread()
    recorder.onValue = { if $0 == 1 { busy.stay() } }
    busy.start { model.value = 1 }
    let set = beginOnOtherThread {
      model.value = 2
      #expect(model.value == 2)
    }
    #expect(recorder.values == [0, 1])
    busy.release()
    set.wait()
    #expect(recorder.values == [0, 1, 2])
    #expect(model.value == 2)
  }

  @Test func anotherThreadsValueIsNotUndoneByTheEndOfANestedSet() {
    let model = SharedModel()
    let recorder = model.$value.recorded()
    let set = Shared<Latch?>(nil)
    recorder.onValue = {
      guard $0 == 1 else { return }
      model.value = 2
      set.value = beginOnOtherThread { model.value = 3 }
    }
    model.value = 1
    set.value?.wait()
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(model.value == 3)
    #expect(model.$value.recorded().values == [3])
  }

  @Test func noLockIsHeldWhileSubscribersAreCalled() {
    let model = SharedModel()
    let recorder = model.$value.recorded()
    recorder.onValue = { _ in
      let isFree = onOtherThread {
        _ = model.value
        model.$value.recorded().cancel()
      }
      #expect(isFree)
    }
    model.value = 1
    #expect(recorder.values == [0, 1])
  }

  @Test func noLockIsHeldWhileTheOldValueGoes() {
    final class Observer {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
      deinit { body() }
    }

    let model = Model<Observer?>(nil)
    let seen = Shared(0)
    let box = UncheckedBox(model)  // Only one of the threads runs at a time.
    func makeObserver() -> Observer {
      Observer {
        let isFree = onOtherThread { _ = box.value.value }
        seen.update { $0 += isFree ? 1 : 0 }
      }
    }
    model.value = makeObserver()
    model.value = makeObserver()
    #expect(seen.value == 1)
    let recorder = RecordingSubscriber<Bool, Never>()
    model.$value.map { $0 == nil }.subscribe(recorder)
    model.value = nil
    #expect(seen.value == 2)
  }

  // MARK: Release

  @Test func nothingIsKeptAlive() {
    let counter = LifetimeCounter()
    do {
      let model = Model(counter.make())
      let token = counter.make()
      let cancellable = model.$value.sink { _ in token.touch() }
      model.value = counter.make()
      cancellable.cancel()
      let recorder = model.$value.recorded()
      model.value = counter.make()
      recorder.cancel()
    }
    #expect(counter.count == 0)
  }

  @Test func aCancelledSubscriberIsReleasedWhileTheObjectLives() {
    let counter = LifetimeCounter()
    let model = Model(0)
    do {
      let token = counter.make()
      let cancellable = model.$value.sink { _ in token.touch() }
      #expect(counter.count == 1)
      cancellable.cancel()
    }
    #expect(counter.count == 0)
    model.value = 1
  }

  // MARK: Setting the publisher

  @Test func aPublisherThatIsSetIsIgnored() {
    let (model, other) = (Model(1), Model(2))
    model.$value = other.$value
    #expect(model.value == 1)
    let recorder = model.$value.recorded()
    other.value = 5
    model.value = 3
    #expect(model.value == 3)
    #expect(recorder.values == [1, 3])
  }
}
