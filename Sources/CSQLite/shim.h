#ifndef INTERFLOW_CSQLITE_H
#define INTERFLOW_CSQLITE_H

#if defined(__has_include) && !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing: install libsqlite3-dev (Debian) or sqlite (Homebrew), or set INTERFLOW_WITHOUT_SQLITE=1 to leave InterflowSQLite out"
#else

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>

// What tells the current thread apart from all that exist; never zero. The thread's own register on Linux, since a call
// of the C library takes as long as the check for which each use of a connection needs it. Volatile, so that a value is not
// reused after a suspension, where another thread may go on.
static inline uintptr_t interflow_current_thread(void) {
#if defined(__linux__) && defined(__x86_64__) && !defined(__ILP32__)
  uintptr_t thread;
  __asm__ volatile("movq %%fs:0, %0" : "=r"(thread));
  return thread;
#elif defined(__linux__) && defined(__aarch64__) && !defined(__ILP32__)
  uintptr_t thread;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
  return thread;
#else
  return (uintptr_t)pthread_self();
#endif
}

// What SQLite offers in a form that Swift cannot import: a pointer made from a number, and a function with a variable
// number of arguments.

// SQLite copies the bytes.
static inline int interflow_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int interflow_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// SQLite takes a null pointer for NULL.
static inline void interflow_result_text(sqlite3_context *context, const char *bytes, sqlite3_uint64 count) {
  sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void interflow_result_blob(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  if (count) sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
  else sqlite3_result_zeroblob(context, 0);
}

// Refuses statements that can corrupt the file, such as writes to the schema's table.
static inline int interflow_set_defensive(sqlite3 *database, int is_on) {
#ifdef SQLITE_DBCONFIG_DEFENSIVE
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, is_on, (int *)0);
#else
  return SQLITE_OK;
#endif
}

// Whether a statement that has not ended has begun to write. Before SQLite could tell, there was no RETURNING, so that no
// statement that writes gave rows.
static inline int interflow_is_writing(sqlite3 *database) {
#ifdef SQLITE_TXN_WRITE
  return sqlite3_txn_state(database, (const char *)0) == SQLITE_TXN_WRITE;
#else
  return 0;
#endif
}

// The flags of a function that only statements of the program may call, and of one that any schema may call.
static inline int interflow_direct_only(void) {
#ifdef SQLITE_DIRECTONLY
  return SQLITE_DIRECTONLY;
#else
  return 0;
#endif
}

static inline int interflow_innocuous(void) {
#ifdef SQLITE_INNOCUOUS
  return SQLITE_INNOCUOUS;
#else
  return 0;
#endif
}

// Has the next VACUUM delete everything, whatever is in the file.
static inline int interflow_reset_database(sqlite3 *database, int is_on) {
#ifdef SQLITE_DBCONFIG_RESET_DATABASE
  return sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, is_on, (int *)0);
#else
  return SQLITE_ERROR;
#endif
}

#endif

#endif
