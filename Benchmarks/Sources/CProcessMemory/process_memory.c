#include "process_memory.h"

#include <sys/resource.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

size_t process_memory_allocated(void) {
#ifdef __APPLE__
  return mstats().bytes_used;
#else
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

size_t process_memory_peak(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return (size_t)usage.ru_maxrss;
#else
  return (size_t)usage.ru_maxrss * 1024;
#endif
}
