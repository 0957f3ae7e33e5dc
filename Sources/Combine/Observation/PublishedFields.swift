import InterflowPrimitives
@_spi(Reflection) import Swift

/// The storage of a `@Published` property, whatever its type.
protocol PublishedStorage {
  /// Sets the publisher to which the property sends before it changes, unless it has one.
  ///
  /// - Returns: The publisher that the property has now.
  static func install(_ publisher: ObservableObjectPublisher, at storage: UnsafeRawPointer)
    -> ObservableObjectPublisher

  /// The publisher to which the property sends before it changes.
  static func installed(at storage: UnsafeRawPointer) -> ObservableObjectPublisher?
}

/// Finds the `@Published` properties of objects through the compiler's metadata of their classes.
///
/// Not through a mirror: a class may have a custom one, and a mirror reads all properties, which other threads may be
/// writing. The layout is read once for each class, and only the wrappers are read of an object.
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
      // A wrapper may have been replaced by a new one since, so the publisher is taken from any wrapper that has it,
      // and set in the others. At first none has it, and the first property's wrapper decides between several threads.
      let known = fields.lazy.compactMap { $0.type.installed(at: base + $0.offset) }.first
      let publisher = known ?? first.type.install(ObservableObjectPublisher(), at: base + first.offset)
      for field in fields { _ = field.type.install(publisher, at: base + field.offset) }
      return publisher
    }
  }

  private static func fields(of type: AnyClass) -> [Field] {
    if let known = tables.with({ $0.fields[ObjectIdentifier(type)] }) { return known }
    var found: [Field] = []
    // The option says that the type is a class. Its superclasses' properties are included.
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
    // The weak reference shows whether the entry is of this object, or of a released one at the same address.
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

  /// Removes the entries of objects that have been released.
  private static func sweep() {
    // Reading a weak reference, and removing an entry, may release an object, which must not happen under the lock.
    let dead = tables.with { $0.fieldless }.filter { $0.value.object == nil }
    var removed: [Fieldless] = []
    tables.with { tables in
      for (key, entry) in dead where tables.fieldless[key]?.publisher === entry.publisher {
        if let entry = tables.fieldless.removeValue(forKey: key) { removed.append(entry) }
      }
      tables.sweepAt = max(64, 2 * tables.fieldless.count)
    }
    releaseOutsideLock(removed)
  }
}

/// A value and its lock, for state that is seldom touched.
final class Guarded<Value>: @unchecked Sendable {  // `lock` guards `value`.
  private let lock = Lock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Calls a closure with the lock held. The closure must not call foreign code.
  func with<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
