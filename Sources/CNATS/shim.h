#ifndef INTERFLOW_CNATS_H
#define INTERFLOW_CNATS_H

#include <nats/nats.h>

#endif
