import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct ConcatMapTests {
  @Test func publishersFollowEachOther() {
    let inner = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
    let recorder = [0, 1].publisher.concatMap { inner[$0] }.recorded()
    inner[1].send(9)
    inner[0].send(1)
    inner[0].send(completion: .finished)
    inner[1].send(2)
    inner[1].send(completion: .finished)
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func subjectLosesValuesThatNoBufferKeeps() {
    let source = PassthroughSubject<Int, Never>()
    let inner = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let plain = source.concatMap { inner[$0] }.recorded()
    let buffered = source.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest).concatMap { inner[$0] }
      .recorded()
    for number in 0..<3 { source.send(number) }
    source.send(completion: .finished)
    for (number, subject) in inner.enumerated() {
      subject.send(number)
      subject.send(completion: .finished)
    }
    #expect(plain.log == ["0", "finished"])
    #expect(buffered.log == ["0", "1", "2", "finished"])
  }
}
