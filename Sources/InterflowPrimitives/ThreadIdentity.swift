#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif os(Windows)
  import WinSDK
#endif

/// An identifier of the current thread: never zero, the four lowest bits clear, unique among the threads that exist.
@usableFromInline
package func currentThreadIdentity() -> UInt {
  #if canImport(Glibc) || canImport(Android)
    return UInt(pthread_self())
  #elseif canImport(Darwin) || canImport(Musl)
    return UInt(bitPattern: pthread_self())
  #elseif os(Windows)
    return UInt(GetCurrentThreadId()) << 4
  #else
    return 16
  #endif
}
