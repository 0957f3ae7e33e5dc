#ifndef INTERFLOW_CNATS_H
#define INTERFLOW_CNATS_H

#if defined(__has_include) && !__has_include(<nats/nats.h>)
#error "nats/nats.h is missing: install libnats-dev (Debian) or cnats (Homebrew), or set INTERFLOW_WITHOUT_NATS=1 to leave InterflowNATS out"
#else

#include <nats/nats.h>

#endif

#endif
