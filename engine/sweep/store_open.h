#pragma once
// Making, recognising, opening and closing a results database.
#include <optional>
#include <string>
#include <vector>

#include "engine/sweep/records.h"
#include "engine/sweep/store_lock.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {

// An open database.
struct OpenStore {
  std::string path;  // as given
  SqlDatabase database;
  u64 version = 0;  // of the tables
  SweepRecord sweep;
  std::optional<WriterLock> lock;     // none: read only
  RunRecord run;                      // the program that writes; for a reader the last one that wrote
  std::vector<std::string> warnings;  // Store::warnings()
};

// Opens the database for writing, or makes it. Error if there is a file and not `may_exist`; others as Store::resume.
// `stop`: until it is open (SqlDatabase::end_when).
Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist,
                                const std::atomic<bool>* stop = nullptr);

// Opens the database as it is at this moment; later rows are not seen. `stop`: as long as it is open.
Result<OpenStore> open_to_read(const std::string& path, const std::atomic<bool>* stop = nullptr);

// Why rows of the sweep `there` are no answers to `here`; empty if they are.
Diagnostics compare_sweeps(const SweepRecord& there, const SweepRecord& here, const std::string& path);

// Writes the row of the present run.
Diagnostics write_run(const OpenStore& store);

// Writes that the run has ended, and whether it left nothing to do (`finished`); may be called again.
Diagnostics close_store(OpenStore& store, bool finished);

// Removes the file and what SQLite has beside it.
void remove_store(const std::string& path);

// Makes one plain file of a database that nobody writes, so that it can be replaced. Error if somebody reads it.
Diagnostics settle_store(const std::string& path);

}  // namespace heliolite
