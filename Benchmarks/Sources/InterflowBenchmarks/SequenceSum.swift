/// The sum of an asynchronous sequence's elements. Inlined, as for publishers.
@inline(__always)
func sum(of elements: some AsyncSequence<Int, Never>) async -> Int {
  var sum = 0
  for await element in elements { sum &+= element }
  return sum
}
