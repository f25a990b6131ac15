#pragma once
// SQLite with owners and with errors in words that help. Only store_sql.cpp knows its names.
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/sweep/store_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heliolite {

// A statement with ?s. Bind them in order, walk the rows with next(), or run() it; both make it ready for new values
// at the end.
class SqlStatement {
 public:
  SqlStatement() = default;

  SqlStatement& bind(u64 value);
  SqlStatement& bind(double value);
  SqlStatement& bind(std::string_view text);
  SqlStatement& bind_null();

  Result<bool> next();  // whether there is a row
  Diagnostics run();    // its rows are not wanted
  void reset();         // leaves the rows that are left

  // Of the present row.
  u64 integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

 private:
  friend class SqlDatabase;
  void bound(int code);
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string path_;  // for complaints
  int bound_ = 0;     // ?s that have a value
  int problem_ = 0;   // of the first bind that failed
};

// How long to wait for somebody else's transaction; short enough for Ctrl-C to end within two seconds.
inline constexpr int kPatienceMilliseconds = 1500;

class SqlDatabase {
 public:
  enum class Access { Read, Write };  // Write makes the file if there is none

  SqlDatabase() = default;
  static Result<SqlDatabase> open(const std::string& path, Access access);

  Result<SqlStatement> prepare(std::string_view sql) const;
  Diagnostics execute(const std::string& sql) const;     // several statements, separated by ;
  Result<u64> number(std::string_view sql) const;        // the one number that the statement answers
  Result<std::string> word(std::string_view sql) const;  // the one text
  void close();                                          // may be called again

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  DatabaseFile file_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> database_;
  std::string path_;  // as the user wrote it
};

}  // namespace heliolite
