#pragma once
// SQLite behind classes that own its objects and explain its errors. Only store_sql.cpp uses its functions.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/file_claims.h"
#include "engine/base/result.h"
#include "engine/base/types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heliolite {

// The errors of a result; none if it has a value.
template <class T>
Diagnostics errors_of(const Result<T>& result) {
  return result ? Diagnostics{} : result.errors();
}

// A prepared statement. Bind the values of its ?s in order, then walk the rows with next(), or run() it; at the end
// both make it ready for new values.
class SqlStatement {
 public:
  SqlStatement() = default;

  SqlStatement& bind(u64 value);
  SqlStatement& bind(double value);
  SqlStatement& bind(std::string_view text);
  SqlStatement& bind_null();

  Result<bool> next();                                 // goes to the next row; false after the last one
  Diagnostics each(const std::function<bool()>& row);  // calls `row` at every row, until that returns false
  Diagnostics run();                                   // executes it without looking at rows
  void reset();                                        // ends the walk before the last row

  // A column of the present row, from 0.
  u64 integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

 private:
  friend class SqlDatabase;
  SqlStatement& bound(int code);
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string path_;  // for complaints
  int bound_ = 0;     // ?s that have a value
  int problem_ = 0;   // SQLite's code for the first bind that failed
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
  SqlStatement& kept(const std::string& sql);            // prepared once; what is wrong with it next() says
  Diagnostics execute(const std::string& sql) const;     // several statements, separated by ;
  Result<u64> number(std::string_view sql) const;        // the number that the statement returns, in its one row
  Result<std::string> word(std::string_view sql) const;  // the text that it returns
  void close();                                          // may be called again
  // From now on a statement that runs while `stop` is set soon ends with an error; null: none does. `stop` must outlive
  // the connection.
  void end_when(const std::atomic<bool>* stop) const;

  // Takes the writer's lock: SQLite's RESERVED lock on the file, which nothing else takes while there is a log, and
  // which readers do not notice. It lies on the file, whatever names that has, and ends with the connection. Returns
  // whether nobody else has it.
  bool lock();
  bool locked() const;  // whether somebody has it

  std::string bytes(u64 from, int count) const;  // bytes of the file as it is on the disk; "" beyond its end
  // A complaint if the file of that name is no longer the one that was opened, or does not begin as a database does.
  Diagnostics still_there() const;
  // A sentence about rows of a killed writer that are lost: SQLite takes its log up to the first damaged page and says
  // nothing. To be asked after the first reading; only who opens the database first finds out. None: all is there.
  std::optional<std::string> lost_rows() const;

 private:
  struct Close {
    FileIdentity file;
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, SqlStatement> kept_;  // [statement]
  std::string path_;                          // as the user wrote it
};

}  // namespace heliolite
