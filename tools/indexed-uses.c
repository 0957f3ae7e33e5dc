// Prints what the sources of modules refer to, from the index store of their build, a line for each place:
//
//     indexed-uses INDEX_STORE MODULE… -> USR, a tab, file:line
//
// Compiled against the toolchain's own libIndexStore; `tools/check-api` does it.
#include <indexstore/indexstore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  indexstore_t store;
  int moduleCount;
  char **modules;
  // Of the record that is being read.
  indexstore_string_ref_t file;
} Search;

static char *copied(indexstore_string_ref_t string) {
  char *copy = calloc(string.length + 1, 1);
  if (copy == NULL) abort();
  return memcpy(copy, string.data, string.length);
}

static bool isNamed(indexstore_string_ref_t string, const char *name) {
  return string.length == strlen(name) && memcmp(string.data, name, string.length) == 0;
}

static void stop(const char *what, const char *name, indexstore_error_t error) {
  fprintf(stderr, "indexed-uses: %s %s: %s\n", what, name, indexstore_error_get_description(error));
  exit(2);
}

static bool printOccurrence(void *context, indexstore_occurrence_t occurrence) {
  const Search *search = context;
  if (!(indexstore_occurrence_get_roles(occurrence) & INDEXSTORE_SYMBOL_ROLE_REFERENCE)) return true;
  indexstore_string_ref_t usr = indexstore_symbol_get_usr(indexstore_occurrence_get_symbol(occurrence));
  unsigned line, column;
  indexstore_occurrence_get_line_col(occurrence, &line, &column);
  printf("%.*s\t%.*s:%u\n", (int)usr.length, usr.data, (int)search->file.length, search->file.data, line);
  return true;
}

static bool printRecord(void *context, indexstore_unit_dependency_t dependency) {
  Search *search = context;
  if (indexstore_unit_dependency_get_kind(dependency) != INDEXSTORE_UNIT_DEPENDENCY_RECORD) return true;
  if (indexstore_unit_dependency_is_system(dependency)) return true;
  char *name = copied(indexstore_unit_dependency_get_name(dependency));
  indexstore_error_t error = NULL;
  indexstore_record_reader_t record = indexstore_record_reader_create(search->store, name, &error);
  if (record == NULL) stop("cannot read the record", name, error);
  search->file = indexstore_unit_dependency_get_filepath(dependency);
  indexstore_record_reader_occurrences_apply_f(record, search, printOccurrence);
  indexstore_record_reader_dispose(record);
  free(name);
  return true;
}

static bool printUnit(void *context, indexstore_string_ref_t unitName) {
  Search *search = context;
  char *name = copied(unitName);
  indexstore_error_t error = NULL;
  indexstore_unit_reader_t unit = indexstore_unit_reader_create(search->store, name, &error);
  if (unit == NULL) stop("cannot read the unit", name, error);
  for (int index = 0; index < search->moduleCount; index++) {
    if (!isNamed(indexstore_unit_reader_get_module_name(unit), search->modules[index])) continue;
    indexstore_unit_reader_dependencies_apply_f(unit, search, printRecord);
  }
  indexstore_unit_reader_dispose(unit);
  free(name);
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: indexed-uses INDEX_STORE MODULE…\n");
    return 2;
  }
  indexstore_error_t error = NULL;
  Search search = {.moduleCount = argc - 2, .modules = argv + 2};
  search.store = indexstore_store_create(argv[1], &error);
  if (search.store == NULL) stop("cannot open", argv[1], error);
  indexstore_store_units_apply_f(search.store, 0, &search, printUnit);
  indexstore_store_dispose(search.store);
  return 0;
}
