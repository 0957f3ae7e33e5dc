/// A subscription that may promise more than Combine's protocol asks for. It is how those of one module of this package
/// know that about those of another.
@usableFromInline
package protocol ReleasingSubscription: AnyObject {
  /// Whether the subscription releases its subscriber when it has been cancelled, and nothing else retains that.
  /// Subscribers then need no lock for a value.
  var releasesSubscriberOnCancel: Bool { get }
}
