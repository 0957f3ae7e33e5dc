import InterflowPrimitives
@_spi(Reflection) import Swift

/// The storage of a `@Published` property, whatever its type.
protocol PublishedStorage {
  /// The publisher that the property's changes fire, which is set once.
  ///
  /// - Returns: The publisher that was there before, or the one given.
  static func install(_ publisher: ObservableObjectPublisher, at storage: UnsafeRawPointer)
    -> ObservableObjectPublisher

  /// The publisher that the property's changes fire.
  static func installed(at storage: UnsafeRawPointer) -> ObservableObjectPublisher?
}

/// Finds the `@Published` properties of objects, by what the compiler has written down of their classes.
///
/// A mirror will not do: a class may present another face of itself, and reading all properties to find some would read
/// what other threads may write. The layout is read once for each class, and of an object nothing but the wrappers.
enum PublishedFields {
  private struct Field {
    let offset: Int
    let type: any PublishedStorage.Type
  }

  private struct Tables {
    var fields: [ObjectIdentifier: [Field]] = [:]
    var fieldless: [ObjectIdentifier: Fieldless] = [:]
    var sweepAt = 64
  }

  /// An object without such properties, and its publisher.
  private struct Fieldless {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private static let tables = Guarded(Tables())

  static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
    let fields = fields(of: type(of: object))
    guard let first = fields.first else { return publisher(ofFieldless: object) }
    let base = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    return withExtendedLifetime(object) {
      // Any may have been replaced by a new wrapper since, so one that knows the publisher tells the others. At first
      // nobody knows it, and the first property decides between threads that come here at once.
      let known = fields.lazy.compactMap { $0.type.installed(at: base + $0.offset) }.first
      let publisher = known ?? first.type.install(ObservableObjectPublisher(), at: base + first.offset)
      for field in fields { _ = field.type.install(publisher, at: base + field.offset) }
      return publisher
    }
  }

  private static func fields(of type: AnyClass) -> [Field] {
    if let known = tables.with({ $0.fields[ObjectIdentifier(type)] }) { return known }
    var found: [Field] = []
    // The option says that the type is a class; its superclasses' properties come along.
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { _, offset, type, _ in
      if let storage = type as? any PublishedStorage.Type {
        found.append(Field(offset: offset, type: storage))
      }
      return true
    }
    tables.with { $0.fields[ObjectIdentifier(type)] = found }
    return found
  }

  private static func publisher(ofFieldless object: AnyObject) -> ObservableObjectPublisher {
    let key = ObjectIdentifier(object)
    // A weak reference tells an object from one that lived at the same place before.
    func known(in tables: inout Tables) -> ObservableObjectPublisher? {
      guard let known = tables.fieldless[key], known.object === object else { return nil }
      return known.publisher
    }
    if let known = tables.with(known) { return known }

    let created = Fieldless(object: object, publisher: ObservableObjectPublisher())
    var replaced: Fieldless?
    var isFull = false
    let publisher = tables.with { tables in
      if let known = known(in: &tables) { return known }
      replaced = tables.fieldless.updateValue(created, forKey: key)
      isFull = tables.fieldless.count >= tables.sweepAt
      if isFull { tables.sweepAt = .max }
      return created.publisher
    }
    if isFull { sweep() }
    return withExtendedLifetime(replaced) { publisher }
  }

  /// Forgets the objects that have gone.
  private static func sweep() {
    // What is read from a weak reference, and what is forgotten, may go here, so this holds no lock.
    let dead = tables.with { $0.fieldless }.filter { $0.value.object == nil }
    var forgotten: [Fieldless] = []
    tables.with { tables in
      for (key, entry) in dead where tables.fieldless[key]?.publisher === entry.publisher {
        if let entry = tables.fieldless.removeValue(forKey: key) { forgotten.append(entry) }
      }
      tables.sweepAt = max(64, 2 * tables.fieldless.count)
    }
    releaseOutsideLock(forgotten)
  }
}

/// A value and its lock, for state that is seldom touched.
final class Guarded<Value>: @unchecked Sendable {  // `lock` guards `value`.
  private let lock = Lock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Calls a closure with the lock held: for bookkeeping that calls nobody else's code.
  func with<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
