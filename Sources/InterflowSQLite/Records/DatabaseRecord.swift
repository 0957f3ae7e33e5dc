/// A type whose values are rows of a table, which a connection fetches, inserts, updates and deletes.
///
/// `Codable` says which columns the type has: one for each coding key, with names that are compared as SQLite compares
/// them, without the case of ASCII letters. The schema says the rest: which columns are the primary key, and which are
/// generated.
///
/// ```swift
/// struct Photo: DatabaseRecord {
///   static let databaseTableName = "photo"
///   var id: Int64?
///   var title: String
///   var rating: Double?
/// }
///
/// let title = try await database.write { db in
///   var photo = try db.insert(Photo(title: "Crab Nebula"))  // With the `id` that the database has given it.
///   photo.rating = 4.5
///   try db.update(photo)
///   return try db.fetch(Photo.self, key: photo.id)?.title
/// }
/// ```
///
/// A type may have fewer columns than its table: the others get their defaults when a row is inserted, and stay as they
/// are when it is updated. A record is decoded only from a row that has all of its columns, whatever
/// ``DatabaseOptions/missingColumns`` says: an optional property of a column that was not fetched would be saved as
/// `NULL` otherwise. That does not hold for a record that another type makes with its own decoder, by
/// `Photo(from: decoder)`: nothing tells that it is one. Let the other type decode it as a property.
public protocol DatabaseRecord: Codable {
  /// The name of the table. It is quoted in SQL, so any name will do.
  static var databaseTableName: String { get }
}
