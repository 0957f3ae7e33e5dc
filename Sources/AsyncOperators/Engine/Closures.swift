// Closures that operators call for each element. One that cannot suspend is called without the cost of one that may,
// and one that may suspend is called on the caller's isolation.

/// Says whether two elements belong together.
///
/// All closures are `@Sendable`, except the one that compares elements that are `Equatable`. It captures nothing but
/// their type, and it is called where the elements are.
@frozen
@usableFromInline
enum Predicate<Element, Failure: Error>: @unchecked Sendable {
  case immediate((Element, Element) throws(Failure) -> Bool)
  case suspending(Suspending)

  @usableFromInline
  typealias Suspending = nonisolated(nonsending) @Sendable (Element, Element) async throws(Failure) -> Bool

  @inlinable
  @inline(__always)
  func callAsFunction(
    _ first: Element, _ second: Element, isolation actor: isolated (any Actor)?
  ) async throws(Failure) -> Bool {
    switch self {
    case .immediate(let closure): try closure(first, second)
    case .suspending(let closure): try await closure(first, second)
    }
  }
}

/// Adds an element to a result.
@frozen
@usableFromInline
enum Reducer<Result, Element, Failure: Error>: Sendable {
  case immediate(@Sendable (inout Result, Element) throws(Failure) -> Void)
  case suspending(Suspending)

  @usableFromInline
  typealias Suspending = nonisolated(nonsending) @Sendable (inout Result, Element) async throws(Failure) -> Void

  @inlinable
  init(_ closure: @escaping @Sendable (Result, Element) throws(Failure) -> Result) {
    self = .immediate { (result: inout Result, element) throws(Failure) in result = try closure(result, element) }
  }

  @inlinable
  init(_ closure: nonisolated(nonsending) @escaping @Sendable (Result, Element) async throws(Failure) -> Result) {
    self = .suspending { (result: inout Result, element) async throws(Failure) in
      result = try await closure(result, element)
    }
  }

  @inlinable
  @inline(__always)
  func callAsFunction(
    _ result: inout Result, _ element: Element, isolation actor: isolated (any Actor)?
  ) async throws(Failure) {
    switch self {
    case .immediate(let closure): try closure(&result, element)
    case .suspending(let closure): try await closure(&result, element)
    }
  }
}

/// Combines the result so far, if there is one, with an element.
@frozen
@usableFromInline
enum Combination<Result, Element>: Sendable {
  case immediate(@Sendable (Result?, Element) -> Result)
  case suspending(Suspending)

  @usableFromInline
  typealias Suspending = nonisolated(nonsending) @Sendable (Result?, Element) async -> Result

  @inlinable
  @inline(__always)
  func callAsFunction(_ result: Result?, _ element: Element, isolation actor: isolated (any Actor)?) async -> Result {
    switch self {
    case .immediate(let closure): closure(result, element)
    case .suspending(let closure): await closure(result, element)
    }
  }
}

/// Makes something of an element or an error.
@frozen
@usableFromInline
enum Transform<Input, Output>: Sendable {
  case immediate(@Sendable (Input) -> Output)
  case suspending(Suspending)

  @usableFromInline
  typealias Suspending = nonisolated(nonsending) @Sendable (Input) async -> Output

  @inlinable
  @inline(__always)
  func callAsFunction(_ input: Input, isolation actor: isolated (any Actor)?) async -> Output {
    switch self {
    case .immediate(let closure): closure(input)
    case .suspending(let closure): await closure(input)
    }
  }
}
