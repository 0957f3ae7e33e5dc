/// Makes characters of Unicode scalars that come one by one, with the boundaries that `String` has.
///
/// - Complexity: constant for each scalar, however many belong to one character.
@usableFromInline
struct ClusterBuilder {
  private var recognizer = Unicode._CharacterRecognizer()
  private var first: Unicode.Scalar?
  /// All scalars of the character, where it has more than one. The view, since appending through a string's copies it.
  private var cluster = String.UnicodeScalarView()
  /// Nothing continues a line feed: who waits for the end of a line need not wait for what follows it.
  private var isComplete = false

  @usableFromInline
  init() {}

  /// Takes a scalar in.
  ///
  /// - Returns: The character that it is the first not to belong to.
  @usableFromInline
  mutating func received(_ scalar: Unicode.Scalar) -> Character? {
    isComplete = scalar == "\n"
    let begins = recognizer.hasBreak(before: scalar)
    guard let first, !begins else {
      let complete = end()
      first = scalar
      return complete
    }
    if cluster.isEmpty { cluster.append(first) }
    cluster.append(scalar)
    return nil
  }

  /// The character that is under way, if nothing can continue it.
  @usableFromInline
  mutating func takeComplete() -> Character? {
    guard isComplete else { return nil }
    isComplete = false
    return end()
  }

  /// The character that is under way.
  @usableFromInline
  mutating func end() -> Character? {
    guard let scalar = first.take() else { return nil }
    if cluster.isEmpty { return Character(scalar) }
    let character = Character(String(cluster))
    cluster = String.UnicodeScalarView()
    return character
  }
}
