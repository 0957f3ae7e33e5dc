#if defined(__linux__)

#include "CInterflowPrimitives.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// A lock is held for some tens of nanoseconds. A thread that sleeps needs some microseconds to go on.
enum { spin_rounds = 100 };

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

void interflow_lock_slowly(uint32_t *word) {
  for (int round = 0; round < spin_rounds; round++) {
    uint32_t state = __atomic_load_n(word, __ATOMIC_RELAXED);
    // Where others sleep already, the lock is held for long.
    if (state == 2) break;
    if (state == 0 && __atomic_compare_exchange_n(word, &state, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    pause_briefly();
  }
  int error = errno;
  // Whoever has slept takes the lock as one for which others may sleep, since it cannot know.
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
  }
  errno = error;
}

void interflow_lock_wake(uint32_t *word) {
  int error = errno;
  // The lock may have been released by now, with what contains it. The system then wakes nobody, or a thread that finds
  // nothing changed and sleeps again.
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  errno = error;
}

#endif
