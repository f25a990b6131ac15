#pragma once
// How a results database is made, recognised, opened and left.
#include <optional>
#include <string>

#include "engine/sweep/records.h"
#include "engine/sweep/store_lock.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {

struct OpenStore {
  SqlDatabase database;
  SweepRecord sweep;
  std::optional<WriterLock> lock;  // none: read only
  u64 run = 0;                     // row in `runs`
};

// Errors as Store::create and Store::resume have them.
Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist);

// What is there at this moment; later rows are not seen.
Result<OpenStore> open_to_read(const std::string& path);

// Walks through all of the file; error if its structure is damaged.
Diagnostics check_whole(const SqlDatabase& database, const std::string& path);

// Notes the end of the run, and whether it left nothing to do; may be called again.
Diagnostics close_store(OpenStore& store, bool finished);

// Makes one plain file of a database that nobody writes, so that it can be replaced. Error if somebody reads it.
Diagnostics settle_store(const std::string& path);

}  // namespace heliolite
