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
      if let installed = first.type.installed(at: base + first.offset) { return installed }
      // The first property decides between threads that come here at once; the others follow it.
      let publisher = first.type.install(ObservableObjectPublisher(), at: base + first.offset)
      for field in fields.dropFirst() { _ = field.type.install(publisher, at: base + field.offset) }
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
    let created = ObservableObjectPublisher()
    return tables.with { tables in
      let key = ObjectIdentifier(object)
      // A weak reference tells an object from one that lived at the same place before.
      if let known = tables.fieldless[key], known.object === object { return known.publisher }
      tables.fieldless[key] = Fieldless(object: object, publisher: created)
      if tables.fieldless.count >= tables.sweepAt {
        tables.fieldless = tables.fieldless.filter { $0.value.object != nil }
        tables.sweepAt = max(64, 2 * tables.fieldless.count)
      }
      return created
    }
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
