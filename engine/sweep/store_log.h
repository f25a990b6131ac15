#pragma once
// The log beside a database that a killed writer left (SQLite's WAL): SQLite takes the part of it that is whole and
// says nothing about the rest. Rows in the rest are lost, which is the same as if the writer had been killed earlier.
// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log and https://www.sqlite.org/walformat.html.
#include <optional>
#include <string>

namespace heliolite {

// A sentence about the rows that are lost; none if the log is whole or if there is no log. Call it before SQLite opens
// the database, which makes the log's index anew; the answer means nothing while somebody writes.
std::optional<std::string> lost_log(const std::string& database);

}  // namespace heliolite
