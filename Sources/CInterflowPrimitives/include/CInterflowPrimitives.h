#ifndef INTERFLOW_PRIMITIVES_H
#define INTERFLOW_PRIMITIVES_H

#include <stdbool.h>
#include <stdint.h>

// What InterflowPrimitives needs of the system in a form that Swift cannot call or cannot know: the system call that
// lets a thread sleep, whether the program is compiled for ThreadSanitizer, and variables that each thread has of its own.

#if defined(__linux__)

/// Waits until a lock is free and takes it. The word is 0 while it is free, 1 while it is held, and 2 while it is held
/// and a thread may sleep until it is free.
void interflow_lock_slowly(uint32_t *word);

/// Wakes one of the threads that sleep in `interflow_lock_slowly`.
void interflow_lock_wake(uint32_t *word);

#endif

/// Whether this was compiled for ThreadSanitizer. The functions below do nothing otherwise.
bool interflow_has_thread_sanitizer(void);

/// All that this thread has written is visible to a thread that calls `interflow_sanitizer_acquire` with the same
/// address later.
void interflow_sanitizer_release(const void *address);
void interflow_sanitizer_acquire(const void *address);

/// ThreadSanitizer ignores what this thread reads and writes between the two.
void interflow_sanitizer_begin_ignoring(void);
void interflow_sanitizer_end_ignoring(void);

/// A value whose delivery is under way on this thread: whose it is, and which. Zeros where there is none.
typedef struct {
  const void *owner;
  uint64_t number;
} interflow_delivered_value;

/// Notes what is delivered on this thread from now on, and returns what was until now.
interflow_delivered_value interflow_exchange_delivered_value(interflow_delivered_value value);

/// A small number of this thread, from 1 on, in the order in which threads have asked for theirs.
uint32_t interflow_thread_number(void);

/// The time of the calendar's clock, in nanoseconds since 1970.
int64_t interflow_calendar_nanoseconds(void);

#endif
