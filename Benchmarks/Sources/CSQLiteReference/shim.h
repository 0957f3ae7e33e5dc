#ifndef INTERFLOW_BENCHMARKS_SQLITE_H
#define INTERFLOW_BENCHMARKS_SQLITE_H

#include <sqlite3.h>

// SQLite copies the bytes. Swift cannot import the constant that says so.
static inline int reference_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
