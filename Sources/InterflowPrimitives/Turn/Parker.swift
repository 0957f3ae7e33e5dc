#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif os(Windows)
  import WinSDK
#endif

/// Lets a thread sleep until another thread wakes it. If `unpark()` is called first, the next `park()` returns
/// immediately.
///
/// A parker is never released, because `unpark()` may still use the semaphore after the woken thread has continued.
struct Parker: @unchecked Sendable {  // The system's semaphore protects itself.
  #if canImport(Glibc) || canImport(Musl) || canImport(Android)
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
      semaphore.initialize(to: sem_t())
      precondition(sem_init(semaphore, 0, 0) == 0, "the system has no semaphore left")
    }

    func park() {
      // A signal handler may interrupt the wait.
      while sem_wait(semaphore) != 0 {}
    }

    func unpark() {
      sem_post(semaphore)
    }
  #elseif canImport(Darwin)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let isUnparked = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

    init() {
      mutex.initialize(to: pthread_mutex_t())
      condition.initialize(to: pthread_cond_t())
      isUnparked.initialize(to: false)
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    func park() {
      pthread_mutex_lock(mutex)
      while !isUnparked.pointee { pthread_cond_wait(condition, mutex) }
      isUnparked.pointee = false
      pthread_mutex_unlock(mutex)
    }

    func unpark() {
      pthread_mutex_lock(mutex)
      isUnparked.pointee = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }
  #elseif os(Windows)
    private let semaphore = CreateSemaphoreW(nil, 0, LONG.max, nil)

    func park() {
      WaitForSingleObject(semaphore, INFINITE)
    }

    func unpark() {
      ReleaseSemaphore(semaphore, 1, nil)
    }
  #else
    // A platform without threads.
    func park() { preconditionFailure("the only thread waits for another") }
    func unpark() {}
  #endif
}

/// Waits for what another thread does within some instructions, unless the system has stopped that thread: then this one
/// sleeps, so that a thread of lower priority can go on.
package func waitBriefly(until isDone: () -> Bool) {
  var round = 0
  while !isDone() {
    round += 1
    if round <= 100 { continue }
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
      usleep(50)
    #elseif os(Windows)
      Sleep(1)
    #endif
  }
}

/// The time of a monotonic clock, in nanoseconds.
package func monotonicNanoseconds() -> UInt64 {
  #if canImport(Darwin)
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
  #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  #else
    let time = ContinuousClock().systemEpoch.duration(to: ContinuousClock.now).components
    return UInt64(time.seconds) &* 1_000_000_000 &+ UInt64(time.attoseconds / 1_000_000_000)
  #endif
}
