import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AssignTests {
  private final class Object {
    var number = 0
    var other = 0
  }

  @Test func valuesAreAssignedToAllObjects() {
    let subject = PassthroughSubject<Int, Never>()
    let objects = (0..<3).map { _ in Object() }
    let two = subject.assign(to: \.number, on: objects[0], and: \.number, on: objects[1])
    let three = subject.assign(
      to: \.other, on: objects[0], and: \.other, on: objects[1], and: \.other, on: objects[2])
    subject.send(5)
    #expect(objects.map(\.number) == [5, 5, 0])
    #expect(objects.map(\.other) == [5, 5, 5])
    two.cancel()
    three.cancel()
    subject.send(6)
    #expect(objects.map(\.other) == [5, 5, 5])
  }

  @Test(arguments: [ObjectOwnership.weak, .unowned]) func objectIsNotRetained(ownership: ObjectOwnership) {
    let subject = PassthroughSubject<Int, Never>()
    var object: Object? = Object()
    weak let reference = object
    var cancellables: [AnyCancellable] = []
    if let object {
      cancellables = [
        subject.assign(to: \.number, on: object, ownership: ownership),
        subject.assign(to: \.number, on: object, and: \.other, on: object, ownership: ownership),
        subject.assign(
          to: \.number, on: object, and: \.other, on: object, and: \.other, on: object, ownership: ownership),
      ]
    }
    subject.send(1)
    #expect(object?.number == 1)
    object = nil
    #expect(reference == nil)
    if ownership == .weak { subject.send(2) }
    withExtendedLifetime(cancellables) {}
  }

  @Test func strongOwnershipRetainsUntilCancelled() {
    let subject = PassthroughSubject<Int, Never>()
    var object: Object? = Object()
    weak let reference = object
    let cancellable = object.map { subject.assign(to: \.number, on: $0, ownership: .strong) }
    object = nil
    #expect(reference != nil)
    cancellable?.cancel()
    #expect(reference == nil)
  }
}
