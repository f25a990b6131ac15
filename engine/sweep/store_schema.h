#pragma once
// The tables of a results database, as docs/results.md describes them.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr u64 kApplicationId = 0x48656c69;  // "Heli"; tells a results database from other SQLite files
inline constexpr u64 kSchemaVersion = 3;           // PRAGMA user_version; a change of the tables is a new one
inline constexpr u64 kOldestVersion = 1;           // of those that can still be read
inline constexpr u64 kChecksumVersion = 3;         // since this one rows have checksums

// A column has the name of the field of the row (store_rows.h) that it holds; `checksum` is row_sum() of the row.
inline constexpr const char* kSchema = R"(
CREATE TABLE sweep (
  name TEXT NOT NULL,
  question TEXT NOT NULL,
  text TEXT NOT NULL,
  version TEXT NOT NULL,
  objective TEXT NOT NULL,
  strategy TEXT NOT NULL,
  goal TEXT NOT NULL,
  grid_points INTEGER NOT NULL,
  planned_points INTEGER NOT NULL,
  shard_points INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  shards INTEGER NOT NULL,
  parameters TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE points (
  id INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  state TEXT NOT NULL,
  parameter_values TEXT NOT NULL,
  area_um2 REAL NOT NULL,
  compute_units INTEGER NOT NULL,
  capacity_bytes REAL NOT NULL,
  energy_pj REAL NOT NULL,
  cycles REAL NOT NULL,
  value REAL NOT NULL,
  lower_bound REAL NOT NULL,
  words_moved REAL NOT NULL,
  least_words REAL NOT NULL,
  reason TEXT NOT NULL,
  layers INTEGER NOT NULL,
  written REAL NOT NULL
) STRICT;

CREATE TABLE layers (
  point INTEGER NOT NULL,
  layer INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  workload TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  weight REAL NOT NULL,
  question TEXT NOT NULL,
  status TEXT NOT NULL,
  energy_pj REAL NOT NULL,
  cycles REAL NOT NULL,
  value REAL NOT NULL,
  lower_bound REAL NOT NULL,
  words_moved INTEGER NOT NULL,
  least_words INTEGER NOT NULL,
  utilization REAL NOT NULL,
  evaluated INTEGER NOT NULL,
  mapping TEXT NOT NULL,
  breakdown TEXT NOT NULL,
  reason TEXT NOT NULL,
  seconds REAL NOT NULL,
  PRIMARY KEY (point, layer)
) STRICT;

CREATE INDEX layers_by_question ON layers (question);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  started REAL NOT NULL,
  ended REAL,
  finished INTEGER NOT NULL,
  writer TEXT NOT NULL,
  points_written INTEGER NOT NULL,
  seconds REAL NOT NULL,
  all_points INTEGER NOT NULL,
  points_digest INTEGER NOT NULL,
  all_layers INTEGER NOT NULL,
  layers_digest INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
)";

}  // namespace heliolite
