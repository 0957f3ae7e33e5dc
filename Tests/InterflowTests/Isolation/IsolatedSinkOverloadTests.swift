import Interflow
import InterflowTestSupport
import Testing

/// Calls of `sink(isolation:)` that have to compile as they are, and what each of them adds up to.
@Suite struct IsolatedSinkOverloadTests {
  @MainActor
  private final class Sums {
    private(set) var sum = 0

    func add(_ number: Int) { sum += number }

    func follow(
      _ pairs: some Publisher<(Int, Int), Never>, _ numbers: some Publisher<Int, Never>,
      _ failing: some Publisher<Int, any Error>
    ) -> [AnyCancellable] {
      [
        pairs.sink(isolation: #isolation) { first, second in self.add(first + second) },
        pairs.sink(isolation: #isolation) { self.add($0 + $1) },
        pairs.sink(isolation: #isolation) { self.add($0.0 + $0.1) },
        pairs.sink(isolation: #isolation) { (pair: (Int, Int)) in self.add(pair.0 + pair.1) },
        numbers.sink(isolation: #isolation, receiveValue: add),
        numbers.sink(isolation: #isolation) { [weak self] in self?.add($0) },
        numbers.sink(isolation: #isolation) { [unowned self] in add($0) },
        numbers.sink(isolation: MainActor.shared) { _ in self.add(3) },
        failing.sink(isolation: #isolation, receiveCompletion: { _ in self.add(2) }, receiveValue: { self.add($0) }),
        failing.sink(isolation: #isolation) { [weak self] _ in
          self?.add(2)
        } receiveValue: { [weak self] in
          self?.add($0)
        },
      ]
    }
  }

  @Test @MainActor func onTheMainActor() async {
    let sums = Sums()
    let cancellables = sums.follow(
      CollectionOfOne((1, 2)).publisher, Just(3), Just(1).setFailureType(to: (any Error).self))
    await until { sums.sum == 10 * 3 }
    withExtendedLifetime(cancellables) {}
  }

  private actor ActorSums {
    private(set) var sum = 0

    func follow(
      _ pairs: some Publisher<(Int, Int), Never>, _ numbers: some Publisher<Int, Never>
    ) -> [AnyCancellable] {
      [
        pairs.sink(isolation: #isolation) { first, second in self.sum += first + second },
        pairs.sink(isolation: self) { sums, pair in sums.sum += pair.0 + pair.1 },
        numbers.sink(isolation: self) { $0.sum += $1 },
        numbers.sink(isolation: #isolation) { self.sum += $0 },
        numbers.sink(isolation: #isolation) { [self] in sum += $0 },
        numbers.sink(isolation: self) { number in
          if number > 0 { self.sum += number }
        },
      ]
    }
  }

  @Test func inAnActor() async {
    let sums = ActorSums()
    let cancellables = UncheckedBox(await sums.follow(CollectionOfOne((1, 2)).publisher, Just(3)))
    while await sums.sum < 6 * 3 { await Task.yield() }
    #expect(await sums.sum == 6 * 3)
    withExtendedLifetime(cancellables) {}
  }
}
