/// Decides once for each type how its values are recorded: as what they are, where they fit without an allocation, and
/// not at all where only code of the value's own could tell what it is.
func recordedForm<Value>(of type: Value.Type) -> @Sendable (Value) -> RecordedValue {
  knownForm(Int.self) { RecordedValue.signed($0) } ?? knownForm(String.self) { RecordedValue.text($0) }
    ?? knownForm(Double.self) { RecordedValue.number($0) } ?? knownForm(Bool.self) { RecordedValue.boolean($0) }
    ?? knownForm(UInt.self) { RecordedValue.unsigned($0) } ?? integerForm() ?? knownForm(Substring.self) {
      RecordedValue.text($0)
    }
    ?? knownForm(Character.self) { RecordedValue.text(String($0)) }
    ?? knownForm(Float.self) { RecordedValue.float($0) } ?? { _ in RecordedValue.none }
}

private func integerForm<Value>() -> (@Sendable (Value) -> RecordedValue)? {
  knownForm(Int64.self) { RecordedValue.signed($0) } ?? knownForm(UInt64.self) { RecordedValue.unsigned($0) }
    ?? knownForm(Int32.self) { RecordedValue.signed($0) } ?? knownForm(UInt32.self) { RecordedValue.unsigned($0) }
    ?? knownForm(Int16.self) { RecordedValue.signed($0) } ?? knownForm(UInt16.self) { RecordedValue.unsigned($0) }
    ?? knownForm(Int8.self) { RecordedValue.signed($0) } ?? knownForm(UInt8.self) { RecordedValue.unsigned($0) }
}

/// How values of a known type are recorded, if that is the type of the values.
private func knownForm<Known, Value>(
  _ known: Known.Type, _ record: @escaping @Sendable (Known) -> RecordedValue
) -> (@Sendable (Value) -> RecordedValue)? {
  guard Value.self == known else { return nil }
  // The types are the same.
  return { record(unsafeBitCast($0, to: Known.self)) }
}
