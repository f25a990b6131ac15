#include "engine/sweep/store_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/file_claims.h"
#include "engine/base/integers.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKept = "what was written before is kept, go on with --resume";

// Of SQLite's machine: some microseconds.
constexpr int kStepsBetweenLooks = 1000;

constexpr const char* kNoDatabase = "is not a results database (SQLite): wrong file, or damaged at its beginning";

// What the operating system said last, ": reason" or "".
std::string system_reason(sqlite3* database) {
  const int code = database ? sqlite3_system_errno(database) : 0;
  return code ? fmt::format(": {}", std::strerror(code)) : "";
}

std::string input_output_message(sqlite3* database, int extended) {
  const int code = sqlite3_system_errno(database);
  if (code == ENOSPC || code == EDQUOT)
    return fmt::format("the disk is full ({}): make room; {}", std::strerror(code), kKept);
  if (code == EFBIG) return fmt::format("the file may not grow further ({}): {}", std::strerror(code), kKept);
  return fmt::format("{} failed{}; {}", extended == SQLITE_IOERR_READ ? "reading" : "reading or writing",
                     system_reason(database), kKept);
}

// In words that say what to do.
std::string message(sqlite3* database, int extended) {
  switch (extended & 0xff) {
    case SQLITE_FULL: return fmt::format("the disk is full: make room; {}", kKept);
    case SQLITE_IOERR: return input_output_message(database, extended);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format(
          "another program (a sqlite3 shell, a long --export?) holds it: wait for that one, or end it; {}", kKept);
    case SQLITE_NOTADB: return kNoDatabase;
    case SQLITE_CORRUPT:
      return "is damaged: restore a copy, or keep the good rows and search the others again with heliolite sweep FILE "
             "--resume --repair";
    case SQLITE_READONLY: return "cannot be written: the file or its folder is read-only";
    case SQLITE_CANTOPEN:
      return fmt::format(
          "cannot be opened{}; a database that was not closed needs a folder that can be written: copy it together "
          "with "
          "the files -wal and -shm beside it",
          system_reason(database));
    case SQLITE_PERM:
    case SQLITE_AUTH: return "may not be opened: permission denied";
    case SQLITE_INTERRUPT: return "reading it was interrupted";
    case SQLITE_NOMEM: return "not enough memory";
    case SQLITE_TOOBIG: return "a text is too long to be stored";
    default: return fmt::format("SQLite says: {}", database ? sqlite3_errmsg(database) : sqlite3_errstr(extended));
  }
}

Diagnostic complaint(const std::string& path, sqlite3* database, int code) {
  const int extended = database ? sqlite3_extended_errcode(database) : code;
  return {path, 0, "", message(database, (extended & 0xff) == (code & 0xff) ? extended : code)};
}

// How a database begins.
constexpr std::string_view kSignature("SQLite format 3\0", 16);

// SQLite takes a file of a few bytes for an empty database and writes over it.
bool has_signature(const std::string& path) {
  const DatabaseFile file = DatabaseFile::open(path);
  return !file.readable() || file.bytes(0, kSignature.size()) == kSignature;
}

// What makes opening it pointless or dangerous: reading a pipe would wait for ever.
std::string unfit(const fs::path& path, SqlDatabase::Access access) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return "is a folder";
  if (fs::exists(path, ignored)) {
    if (!fs::is_regular_file(path, ignored)) return "is not a regular file";
    return fs::file_size(path, ignored) == 0 || has_signature(path.string()) ? "" : kNoDatabase;
  }
  return access == SqlDatabase::Access::Read ? "there is no such file" : "";
}

}  // namespace

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void SqlDatabase::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void SqlStatement::bound(int code) {
  if (problem_ == SQLITE_OK) problem_ = code;
}

SqlStatement& SqlStatement::bind(u64 value) {
  bound(sqlite3_bind_int64(statement_.get(), ++bound_, static_cast<sqlite3_int64>(value)));
  return *this;
}

SqlStatement& SqlStatement::bind(double value) {
  bound(sqlite3_bind_double(statement_.get(), ++bound_, value));
  return *this;
}

SqlStatement& SqlStatement::bind(std::string_view text) {
  bound(sqlite3_bind_text64(statement_.get(), ++bound_, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

SqlStatement& SqlStatement::bind_null() {
  bound(sqlite3_bind_null(statement_.get(), ++bound_));
  return *this;
}

Result<bool> SqlStatement::next() {
  const int code = problem_ != SQLITE_OK ? problem_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  Diagnostic error = complaint(path_, sqlite3_db_handle(statement_.get()), code);
  reset();
  return error;
}

Diagnostics SqlStatement::run() {
  for (;;) {
    const Result<bool> row = next();
    if (!row) return row.errors();
    if (!*row) return {};
  }
}

void SqlStatement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bound_ = 0;
  problem_ = SQLITE_OK;
}

u64 SqlStatement::integer(int column) const { return static_cast<u64>(sqlite3_column_int64(statement_.get(), column)); }

double SqlStatement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string SqlStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes ? std::string(bytes, at(size)) : std::string();
}

bool SqlStatement::null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

Result<SqlDatabase> SqlDatabase::open(const std::string& path, Access access) {
  if (Diagnostics taken = FileClaims::of_program().use_database(path); !taken.empty()) return taken;
  if (std::string why = unfit(path, access); !why.empty()) return Diagnostic{path, 0, "", std::move(why)};
  // Absolute: SQLite gives names such as ":memory:" a meaning of their own.
  std::error_code ignored;
  const std::string name = fs::absolute(path, ignored).string();
  const int flags = access == Access::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  SqlDatabase out;
  out.path_ = path;
  out.database_.reset(raw);
  out.file_ = DatabaseFile::open(path);
  if (code != SQLITE_OK) return complaint(path, raw, code);
  sqlite3_busy_timeout(raw, kPatienceMilliseconds);
  // The file may be damaged or somebody's bait.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Diagnostics errors = out.execute("PRAGMA cell_size_check = ON"); !errors.empty()) return errors;
  return out;
}

void SqlDatabase::end_when(const std::atomic<bool>* stop) {
  const auto asked = [](void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; };
  sqlite3_progress_handler(database_.get(), kStepsBetweenLooks, stop ? +asked : nullptr,
                           const_cast<std::atomic<bool>*>(stop));
}

Diagnostics SqlDatabase::still_there() const {
  const char* what = !file_.is_at(path_)                               ? "was removed or replaced"
                     : file_.bytes(0, kSignature.size()) != kSignature ? "was emptied or written over"
                                                                       : nullptr;
  if (what == nullptr) return {};
  return {{path_, 0, "",
           fmt::format("{} by another program while this one wrote into it: what was written last is lost; sweep into "
                       "a new file, or restore a copy and go on with --resume",
                       what)}};
}

Result<SqlStatement> SqlDatabase::prepare(std::string_view sql) const {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), 0, &raw, nullptr);
  SqlStatement out;
  out.statement_.reset(raw);
  out.path_ = path_;
  if (code != SQLITE_OK) return complaint(path_, database_.get(), code);
  return out;
}

Diagnostics SqlDatabase::execute(const std::string& sql) const {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return {complaint(path_, database_.get(), code)};
}

Result<u64> SqlDatabase::number(std::string_view sql) const {
  Result<SqlStatement> statement = prepare(sql);
  if (!statement) return statement.errors();
  const Result<bool> row = statement->next();
  if (!row) return row.errors();
  return *row ? statement->integer(0) : u64{0};
}

Result<std::string> SqlDatabase::word(std::string_view sql) const {
  Result<SqlStatement> statement = prepare(sql);
  if (!statement) return statement.errors();
  const Result<bool> row = statement->next();
  if (!row) return row.errors();
  return *row ? statement->text(0) : std::string();
}

void SqlDatabase::close() {
  database_.reset();
  file_ = {};
}

}  // namespace heliolite
