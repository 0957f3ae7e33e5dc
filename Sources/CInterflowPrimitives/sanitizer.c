#include "CInterflowPrimitives.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERFLOW_THREAD_SANITIZER 1
#endif
#endif

#if INTERFLOW_THREAD_SANITIZER

#include <stddef.h>

// Functions of the sanitizer's run-time library.
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

bool interflow_has_thread_sanitizer(void) { return true; }
void interflow_sanitizer_release(const void *address) { __tsan_release((void *)address); }
void interflow_sanitizer_acquire(const void *address) { __tsan_acquire((void *)address); }

void interflow_sanitizer_begin_ignoring(void) {
  AnnotateIgnoreReadsBegin(NULL, 0);
  AnnotateIgnoreWritesBegin(NULL, 0);
}

void interflow_sanitizer_end_ignoring(void) {
  AnnotateIgnoreWritesEnd(NULL, 0);
  AnnotateIgnoreReadsEnd(NULL, 0);
}

#else

bool interflow_has_thread_sanitizer(void) { return false; }
void interflow_sanitizer_release(const void *address) { (void)address; }
void interflow_sanitizer_acquire(const void *address) { (void)address; }
void interflow_sanitizer_begin_ignoring(void) {}
void interflow_sanitizer_end_ignoring(void) {}

#endif
