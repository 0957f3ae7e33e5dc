#ifndef INTERFLOW_BENCHMARKS_NATS_H
#define INTERFLOW_BENCHMARKS_NATS_H

#include <nats/nats.h>

#endif
