#pragma once
// The tables of a results database, as docs/results.md describes them, in all versions that can still be read. A
// database whose tables, indices, views or triggers differ from these in one letter is none of ours: a view in place of
// a table may never end, a trigger may delete what is written.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

class SqlDatabase;

inline constexpr u64 kApplicationId = 0x48656c69;  // "Heli"; tells a results database from other SQLite files
inline constexpr u64 kSchemaVersion = 5;           // PRAGMA user_version; a change of the tables is a new one
inline constexpr u64 kOldestVersion = 1;           // of those that can still be read
inline constexpr u64 kChecksumVersion = 3;         // since this one rows have checksums

// The statements that make the tables of a version, and the views of a sweep with these parameters. A column has the
// name of the field of the row (store_rows.h) that it holds; `checksum` is row_sum() of the row.
std::vector<std::string> schema_statements(u64 version, const std::vector<std::string>& parameters);

// The version from which on all tables have the column, and what SQL takes for it in older ones.
u64 column_version(std::string_view table, std::string_view column);
std::string column_before(std::string_view table, std::string_view column);

// The version of the tables if they are to the letter those of a sweep, 0 for a database without any table; the views
// are not looked at. Errors name what is not ours.
Result<u64> recognise_tables(const SqlDatabase& database, const std::string& path);

// Complaints about views that are not those of a sweep with these parameters; empty if there are none.
Diagnostics check_views(const SqlDatabase& database, const std::string& path, u64 version,
                        const std::vector<std::string>& parameters);

// Whether there is such a table and it is to the letter that of the present version.
bool is_our_table(const SqlDatabase& database, std::string_view table);

}  // namespace heliolite
