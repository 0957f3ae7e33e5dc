#ifndef PROCESS_MEMORY_H
#define PROCESS_MEMORY_H

#include <stddef.h>

/// The bytes that the allocator has handed out on the main thread and not got back.
size_t process_memory_allocated(void);

/// The largest resident size so far, in bytes.
size_t process_memory_peak(void);

#endif
