@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct AcknowledgementsTests {
  private let closed = NATSError(kind: .closed, operation: "sending", message: "closed")

  @Test func areFoundByTheirNumberUntilTheConnectionIsClosed() {
    let (one, other) = (Acknowledgements(), Acknowledgements())
    let number = one.register()
    #expect(one.register() == number)
    #expect(other.register() != number)
    #expect(Acknowledgements.with(number: number) === one)
    one.connectionClosed(closed)
    #expect(Acknowledgements.with(number: number) == nil)
    other.connectionClosed(closed)
  }

  @Test func areNotFoundWhereTheConnectionWasClosedBefore() {
    let acknowledgements = Acknowledgements()
    acknowledgements.connectionClosed(closed)
    #expect(Acknowledgements.with(number: acknowledgements.register()) == nil)
  }

  @Test func areReleasedWithTheConnection() {
    weak var released: Acknowledgements?
    do {
      let acknowledgements = Acknowledgements()
      released = acknowledgements
      _ = acknowledgements.register()
      acknowledgements.connectionClosed(closed)
    }
    #expect(released == nil)
  }
}
