internal import CSQLite

// Functions and collations belong to one connection, so the closure that prepares each of them adds them.
extension DatabaseConnection {
  /// Where a function that was added may be called.
  public enum FunctionUse: Sendable, Hashable {
    /// Only in statements of the program. For a function that does something: the views and triggers of a file that comes
    /// from somebody else cannot call it.
    case statements
    /// In statements, and in the views, triggers, indices, constraints and generated columns of the file if
    /// ``DatabaseOptions/trustsSchema`` permits.
    case trustedSchema
    /// In statements, and in every schema: for a function that does no harm whatever its arguments are.
    case anySchema
  }

  /// Adds a function that SQL can call.
  ///
  /// Only for ``DatabaseOptions/prepare``; elsewhere, one of several connections would have it, which is an error of the
  /// kind ``DatabaseError/Kind-swift.enum/misuse``.
  ///
  /// - Parameters:
  ///   - name: Its name. A function of SQLite with this name and number of arguments is replaced.
  ///   - argumentCount: How many arguments it has; `nil` for any number.
  ///   - isDeterministic: Whether the result depends on the arguments alone. Only such a function can be a part of an
  ///     index, and what another one depends on is not observed.
  ///   - use: Where it may be called.
  ///   - body: The function, which is called on threads that use the database. What it throws fails the statement; the
  ///     error that is reported has the name of its type alone. Using the connection in it is an
  ///     error that is thrown.
  public func addFunction(
    _ name: String, argumentCount: Int? = nil, isDeterministic: Bool = true,
    use: FunctionUse = .trustedSchema,
    _ body: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseConvertible)?
  ) throws(DatabaseError) {
    try requirePreparation(name)
    let count = argumentCount.map { Int32(clamping: $0) } ?? -1
    let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0) | use.flag
    // SQLite releases it also if this fails.
    let function = Unmanaged.passRetained(AddedFunction(name, options.formats, authorizer, body)).toOpaque()
    let code = sqlite3_create_function_v2(
      handle, name, count, flags, function,
      { context, count, arguments in AddedFunction.call(context, count, arguments) }, nil, nil,
      { function in function.map { Unmanaged<AddedFunction>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw DatabaseError(code, handle, sql: nil) }
  }

  /// Adds an order of texts, which `COLLATE` and the columns of a table can name.
  ///
  /// Only for ``DatabaseOptions/prepare``; elsewhere, one of several connections would have it, which is an error of the
  /// kind ``DatabaseError/Kind-swift.enum/misuse``. An index keeps the order that it was made with, so a collation that
  /// an index uses must stay the same for as long as the file exists.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - areInIncreasingOrder: Whether the first text comes before the second. Texts of which neither comes before the
  ///     other count as equal. It is called on threads that use the database, and must not use the connection.
  public func addCollation(
    _ name: String, _ areInIncreasingOrder: @escaping @Sendable (String, String) -> Bool
  ) throws(DatabaseError) {
    try requirePreparation(name)
    let collation = Unmanaged.passRetained(AddedCollation(areInIncreasingOrder)).toOpaque()
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, collation,
      { collation, firstCount, first, secondCount, second in
        guard let collation else { return 0 }
        return Unmanaged<AddedCollation>.fromOpaque(collation).takeUnretainedValue()
          .compare(AddedCollation.text(first, firstCount), AddedCollation.text(second, secondCount))
      }, { collation in collation.map { Unmanaged<AddedCollation>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else {
      // Other than a function, it is not released then.
      Unmanaged<AddedCollation>.fromOpaque(collation).release()
      throw DatabaseError(code, handle, sql: nil)
    }
  }

  private func requirePreparation(_ name: String) throws(DatabaseError) {
    guard identity.isInside, access.mode == .preparation else {
      throw .misuse("\(name) must be added in DatabaseOptions.prepare, so that each connection has it")
    }
  }
}

extension DatabaseConnection.FunctionUse {
  fileprivate var flag: Int32 {
    switch self {
    case .statements: interflow_direct_only()
    case .trustedSchema: 0
    case .anySchema: interflow_innocuous()
    }
  }
}

private final class AddedFunction {
  private let name: String
  private let formats: DatabaseFormats
  private let authorizer: Authorizer
  private let body: ([DatabaseValue]) throws -> (any DatabaseConvertible)?

  init(
    _ name: String, _ formats: DatabaseFormats, _ authorizer: Authorizer,
    _ body: @escaping ([DatabaseValue]) throws -> (any DatabaseConvertible)?
  ) {
    self.name = name
    self.formats = formats
    self.authorizer = authorizer
    self.body = body
  }

  static func call(_ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let function = sqlite3_user_data(context) else { return }
    let values = (0..<Int(count)).map { value(arguments?[$0]) }
    Unmanaged<AddedFunction>.fromOpaque(function).takeUnretainedValue().call(context, values)
  }

  private func call(_ context: OpaquePointer?, _ arguments: [DatabaseValue]) {
    do {
      switch try DatabaseArgument(body(arguments)).value(formats) {
      case .null: sqlite3_result_null(context)
      case .integer(let number): sqlite3_result_int64(context, number)
      case .real(let number): sqlite3_result_double(context, number)
      case .text(var text):
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            interflow_result_text(context, $0.baseAddress, UInt64($0.count))
          }
        }
      case .blob(let blob):
        blob.withUnsafeBytes { interflow_result_blob(context, $0.baseAddress, UInt64($0.count)) }
      }
    } catch {
      // The error itself can contain values.
      let message = "the function \(name) threw an error of the type \(type(of: error))"
      authorizer.functionFailure = message
      sqlite3_result_error(context, message, -1)
    }
  }

  private static func value(_ value: OpaquePointer?) -> DatabaseValue {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: .real(sqlite3_value_double(value))
    case SQLITE_TEXT: .text(AddedCollation.text(sqlite3_value_text(value), sqlite3_value_bytes(value)))
    case SQLITE_BLOB:
      .blob([UInt8](UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))))
    default: .null
    }
  }
}

private final class AddedCollation {
  private let areInIncreasingOrder: (String, String) -> Bool

  init(_ areInIncreasingOrder: @escaping (String, String) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  func compare(_ first: String, _ second: String) -> Int32 {
    areInIncreasingOrder(first, second) ? -1 : areInIncreasingOrder(second, first) ? 1 : 0
  }

  static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}
