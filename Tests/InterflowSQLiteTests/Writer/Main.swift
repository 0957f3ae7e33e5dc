import Foundation
import InterflowSQLite

/// A process that changes a database, for tests. It reports each transaction that it has committed, as a line with a
/// number on standard output.
///
/// - `DatabaseWriter endless PATH SEED` writes until it is killed.
/// - `DatabaseWriter commanded PATH` writes each number that comes as a line on standard input.
@main enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "endless" where arguments.count == 4:
      var writer = Endless(path: arguments[2], seed: UInt64(arguments[3]) ?? 0)
      try writer.run()
    case "commanded" where arguments.count == 3:
      try runCommands(path: arguments[2])
    default:
      exit(2)
    }
  }

  /// Writes a report at once, whatever standard output is.
  static func report(_ number: Int) {
    let line = Array("\(number)\n".utf8)
    if write(STDOUT_FILENO, line, line.count) != line.count { exit(1) }
  }

  // MARK: Commanded

  private static func runCommands(path: String) throws {
    let database = try Database(path: path)
    while let line = readLine(), let number = Int(line) {
      try database.write { try change($0, to: number) }
      report(number)
    }
  }

  /// Replaces the one value of the table `state`, in a way that depends on the number, through a state that nobody is
  /// to see.
  private static func change(_ db: DatabaseConnection, to number: Int) throws {
    switch number % 3 {
    case 0:
      try db.execute(sql: "UPDATE state SET value = -1")
      try db.execute(sql: "UPDATE state SET value = ?", arguments: [number])
    case 1:
      try db.execute(sql: "DELETE FROM state")
      try db.execute(sql: "INSERT INTO state VALUES (?)", arguments: [number])
    default:
      try db.execute(sql: "DROP TABLE state")
      try db.execute(sql: "CREATE TABLE state (value INTEGER)")
      try db.execute(sql: "INSERT INTO state VALUES (?)", arguments: [number])
    }
  }
}

/// Transactions one after the other, of random sizes and at random times. Zero is reported before the database is
/// opened.
private struct Endless {
  let path: String
  var random: SplitMix

  init(path: String, seed: UInt64) {
    self.path = path
    random = SplitMix(state: seed)
  }

  mutating func run() throws {
    Main.report(0)
    spin()
    let database = try Database(path: path)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, parts INTEGER NOT NULL);
          CREATE TABLE IF NOT EXISTS part (entry INTEGER NOT NULL REFERENCES entry, content BLOB NOT NULL);
          CREATE INDEX IF NOT EXISTS part_entry ON part (entry);
          """)
    }
    while true {
      let number = try database.write { db in
        let number = (try db.fetchOne(Int.self, sql: "SELECT max(id) FROM entry") ?? 0) + 1
        try db.execute(sql: "INSERT INTO entry VALUES (?, 0)", arguments: [number])
        try writeParts(of: number, db)
        // An older one, which is also there, is changed in the same transaction.
        try writeParts(of: Int.random(in: 1...number, using: &random), db)
        return number
      }
      Main.report(number)
      spin()
    }
  }

  /// Replaces what belongs to an entry, and says in the entry how much it is.
  private mutating func writeParts(of number: Int, _ db: DatabaseConnection) throws {
    let count = Int.random(in: 0...8, using: &random)
    try db.execute(sql: "DELETE FROM part WHERE entry = ?", arguments: [number])
    for _ in 0..<count {
      let content = [UInt8](repeating: 7, count: Int.random(in: 0...6_000, using: &random))
      try db.execute(sql: "INSERT INTO part VALUES (?, ?)", arguments: [number, content])
      spin()
    }
    try db.execute(sql: "UPDATE entry SET parts = ? WHERE id = ?", arguments: [count, number])
  }

  /// Takes a random time.
  private mutating func spin() {
    var value = random.next()
    for _ in 0..<Int.random(in: 0..<5_000, using: &random) { value = value &* 6_364_136_223_846_793_005 &+ 1 }
    random.state ^= value & 1
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
