import InterflowPrimitives

/// A subscription to a subject, without its types, as the subject's list has it.
@usableFromInline
class SubjectEntry: EngineSubscription, SubscriberListEntry {
  // Half a word, since every live subscription to a subject has one.
  @usableFromInline @exclusivity(unchecked) final var place: Int32 = -1

  // The other half of the word, for a subclass, which says what guards it: the number of the value received last.
  @exclusivity(unchecked) final var seen: UInt32 = 0
}
