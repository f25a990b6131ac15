#pragma once
// SQLite behind classes that own its objects and explain its errors. Only store_sql.cpp uses its functions.
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/sweep/store_file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heliolite {

// A prepared statement. Bind the values of its ?s in order, then walk the rows with next(), or run() it; at the end
// both make it ready for new values.
class SqlStatement {
 public:
  SqlStatement() = default;

  SqlStatement& bind(u64 value);
  SqlStatement& bind(double value);
  SqlStatement& bind(std::string_view text);
  SqlStatement& bind_null();

  Result<bool> next();  // goes to the next row; false after the last one
  Diagnostics run();    // executes it without looking at rows
  void reset();         // ends the walk before the last row

  // A column of the present row, from 0.
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

// How long to wait for another process's transaction; short enough for Ctrl-C to end within two seconds.
inline constexpr int kPatienceMilliseconds = 1500;

// A connection to a database.
class SqlDatabase {
 public:
  enum class Access { Read, Write };  // Write makes the file if there is none

  SqlDatabase() = default;
  static Result<SqlDatabase> open(const std::string& path, Access access);

  Result<SqlStatement> prepare(std::string_view sql) const;
  Diagnostics execute(const std::string& sql) const;     // several statements, separated by ;
  Result<u64> number(std::string_view sql) const;        // the number that the statement returns, in its one row
  Result<std::string> word(std::string_view sql) const;  // the text that it returns
  void close();                                          // may be called again
  // From now on a statement that runs while `stop` is set soon ends with an error; null: none does. `stop` must outlive
  // the connection.
  void end_when(const std::atomic<bool>* stop);
  // A complaint if the file of that name is no longer the one that was opened, or does not begin as a database does.
  Diagnostics still_there() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  DatabaseFile file_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> database_;
  std::string path_;  // as the user wrote it
};

}  // namespace heliolite
