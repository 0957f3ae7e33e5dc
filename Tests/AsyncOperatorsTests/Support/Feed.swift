import AsyncOperators
import Combine
import InterflowTesting

extension Publisher {
  /// Sends the publisher's values and its end into a subject, until the result is released.
  func feed<Subject: AsyncSubject<Output, Failure>>(_ subject: Subject) -> AnyCancellable {
    sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: subject.finish()
        case .failure(let failure): subject.finish(throwing: failure)
        }
      },
      receiveValue: { value in subject.send(value) })
  }
}
