import Synchronization

/// Carries a test's value past a check that the test itself makes safe by what it does with it.
package struct UncheckedBox<Value>: @unchecked Sendable {  // Each use states its own protection.
  package var value: Value

  package init(_ value: Value) { self.value = value }
}

/// Keeps what is written to it.
package final class Lines: TextOutputStream {
  package private(set) var text = ""

  package init() {}

  package func write(_ string: String) { text += string }
}

/// The error of tests that need one.
package struct TestError: Error, Hashable, Codable, CustomStringConvertible {
  package var name = "test error"

  package init(_ name: String = "test error") { self.name = name }

  package var description: String { name }
}

/// Counts how many of the objects that it has handed out are alive.
package final class LifetimeCounter: Sendable {
  private let alive = Atomic(0)

  package init() {}

  package var count: Int { alive.load(ordering: .acquiring) }

  package func make() -> Token {
    alive.wrappingAdd(1, ordering: .acquiringAndReleasing)
    return Token(self)
  }

  package final class Token: Sendable {
    private let counter: LifetimeCounter

    fileprivate init(_ counter: LifetimeCounter) { self.counter = counter }

    deinit { counter.alive.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    /// Does nothing but keep the token referred to by a closure.
    package func touch() {}
  }
}
