/// Combines Unicode scalars into characters, with the boundaries that `String` has.
///
/// - Complexity: constant for each scalar, however many belong to one character.
@usableFromInline
struct ClusterBuilder {
  private var recognizer = Unicode._CharacterRecognizer()
  private var first: Unicode.Scalar?
  /// All scalars of the character, if it has more than one. A view, since appending to a string's view copies the
  /// string.
  private var cluster = String.UnicodeScalarView()
  /// Whether no scalar can continue the character: a line feed is delivered without waiting for the next scalar.
  private var isComplete = false

  @usableFromInline
  init() {}

  /// Adds a scalar.
  ///
  /// - Returns: The character before it, if the scalar begins another.
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

  /// Ends the current character, if no scalar can continue it.
  @usableFromInline
  mutating func takeComplete() -> Character? {
    guard isComplete else { return nil }
    isComplete = false
    return end()
  }

  /// Ends the current character.
  @usableFromInline
  mutating func end() -> Character? {
    guard let scalar = first.take() else { return nil }
    if cluster.isEmpty { return Character(scalar) }
    let character = Character(String(cluster))
    cluster = String.UnicodeScalarView()
    return character
  }
}
