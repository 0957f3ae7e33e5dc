#include "CInterflowPrimitives.h"

#include <stdatomic.h>
#include <time.h>

static _Thread_local interflow_delivered_value delivered;
static _Thread_local uint32_t number;
static _Atomic uint32_t numbers;

interflow_delivered_value interflow_exchange_delivered_value(interflow_delivered_value value) {
  interflow_delivered_value previous = delivered;
  delivered = value;
  return previous;
}

uint32_t interflow_thread_number(void) {
  if (number == 0) number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
  return number;
}

int64_t interflow_calendar_nanoseconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
