#include "engine/sweep/store_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKept = "what was written before is kept, go on with --resume";
constexpr const char* kNoDatabase = "is not a results database (SQLite): wrong file, or damaged at its beginning";

// Instructions of SQLite's machine between two looks at the clock: some microseconds.
constexpr int kStepsBetweenLooks = 1000;

// How a database begins.
constexpr std::string_view kSignature("SQLite format 3\0", 16);

// Places in the log's index (https://www.sqlite.org/walformat.html): the part that is mapped at once; its header, of
// which there are two equal copies; where that says that it is in use and how many pages are committed; and, behind it,
// how many of these are in the database. Numbers are as this machine writes them.
constexpr int kIndexPart = 32768;
constexpr std::size_t kIndexHeader = 48, kInUse = 12, kPages = 16, kInFile = 96;

// In words that say what to do.
Diagnostic sql_complaint(const std::string& path, sqlite3* database, int code) {
  const int system = database ? sqlite3_system_errno(database) : 0;
  const std::string reason = system ? fmt::format(" ({})", std::strerror(system)) : "";
  const auto message = [&]() -> std::string {
    switch (code & 0xff) {
      case SQLITE_FULL: return fmt::format("the disk is full: make room; {}", kKept);
      case SQLITE_IOERR:
        if (system == ENOSPC || system == EDQUOT)
          return fmt::format("the disk is full{}: make room; {}", reason, kKept);
        if (system == EFBIG) return fmt::format("the file may not grow further{}: {}", reason, kKept);
        return fmt::format("reading or writing failed{}; {}", reason, kKept);
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        return fmt::format(
            "another program (a sqlite3 shell, a long --export?) holds it: wait for that one, or end it; {}", kKept);
      case SQLITE_NOTADB: return kNoDatabase;
      case SQLITE_CORRUPT:
        return "is damaged: restore a copy, or keep the good rows and search the others again with heliolite sweep "
               "FILE --resume --repair";
      case SQLITE_READONLY: return "cannot be written: the file or its folder is read-only";
      case SQLITE_CANTOPEN:
        return fmt::format(
            "cannot be opened{}; a database that was not closed needs a folder that can be written: copy it together "
            "with the files -wal and -shm beside it",
            reason);
      case SQLITE_PERM:
      case SQLITE_AUTH: return "may not be opened: permission denied";
      case SQLITE_INTERRUPT: return "reading it was interrupted";
      case SQLITE_NOMEM: return "not enough memory";
      default: return fmt::format("SQLite says: {}", database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
    }
  };
  return {path, 0, "", message()};
}

// What makes opening it pointless or dangerous: reading a pipe would wait for ever.
std::string unfit(const fs::path& path, SqlDatabase::Access access) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return "is a folder";
  if (!fs::exists(path, ignored)) return access == SqlDatabase::Access::Read ? "there is no such file" : "";
  return fs::is_regular_file(path, ignored) ? "" : "is not a regular file";
}

// SQLite's hands on the file. There are no others: POSIX removes all locks of a process on a file, SQLite's too, when
// the process closes any descriptor of it.
sqlite3_file* file_of(sqlite3* database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  return file;
}

// The log that a killed writer left: pages that were committed, and how many of these are in the file already.
struct LeftLog {
  u32 pages = 0, in_file = 0;
};

// The index read by hand, before SQLite makes it anew.
LeftLog read_log_index(const std::string& path) {
  std::array<char, kInFile + sizeof(u32)> bytes{};
  std::ifstream file(path, std::ios::binary);
  LeftLog out;
  if (!file.read(bytes.data(), bytes.size()) || bytes[kInUse] != 1) return out;
  if (std::memcmp(bytes.data(), bytes.data() + kIndexHeader, kIndexHeader) != 0) return out;
  std::memcpy(&out.pages, bytes.data() + kPages, sizeof out.pages);
  std::memcpy(&out.in_file, bytes.data() + kInFile, sizeof out.in_file);
  return out;
}

// The files to which this process has connections. The first one finds the log's index as it was left; later ones may
// not touch it.
struct OpenFiles {
  struct File {
    u64 connections = 0;
    LeftLog left;
  };
  std::mutex mutex;
  std::map<std::pair<u64, u64>, File> files;  // [device, inode]

  static OpenFiles& all() {
    static OpenFiles out;
    return out;
  }
  File& operator[](const FileIdentity& file) { return files[{file.device, file.inode}]; }
};

}  // namespace

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqlDatabase::Close::operator()(sqlite3* database) const {
  OpenFiles& all = OpenFiles::all();
  const std::lock_guard guard(all.mutex);
  sqlite3_close_v2(database);
  if (--all[file].connections == 0) all.files.erase({file.device, file.inode});
}

SqlStatement& SqlStatement::bound(int code) {
  if (problem_ == SQLITE_OK) problem_ = code;
  return *this;
}

SqlStatement& SqlStatement::bind(u64 value) {
  return bound(sqlite3_bind_int64(statement_.get(), ++bound_, static_cast<sqlite3_int64>(value)));
}

SqlStatement& SqlStatement::bind(double value) { return bound(sqlite3_bind_double(statement_.get(), ++bound_, value)); }

SqlStatement& SqlStatement::bind(std::string_view text) {
  return bound(sqlite3_bind_text64(statement_.get(), ++bound_, text.data() ? text.data() : "", text.size(),
                                   SQLITE_TRANSIENT, SQLITE_UTF8));
}

SqlStatement& SqlStatement::bind_null() { return bound(sqlite3_bind_null(statement_.get(), ++bound_)); }

Result<bool> SqlStatement::next() {
  const int code = problem_ != SQLITE_OK ? problem_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  Result<bool> out = false;
  if (code != SQLITE_DONE) out = sql_complaint(path_, sqlite3_db_handle(statement_.get()), code);
  reset();
  return out;
}

Diagnostics SqlStatement::each(const std::function<bool()>& row) {
  for (;;) {
    const Result<bool> there = next();
    if (!there || !*there) return errors_of(there);
    if (!row()) return reset(), Diagnostics{};
  }
}

Diagnostics SqlStatement::run() {
  return each([] { return true; });
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
  SqlDatabase out;
  out.path_ = path;
  sqlite3* raw = nullptr;
  {
    OpenFiles& all = OpenFiles::all();
    const std::lock_guard guard(all.mutex);
    const int code = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_EXRESCODE, nullptr);
    const FileIdentity file = FileIdentity::of(path);
    out.database_ = {raw, Close{file}};
    const bool first = all[file].connections++ == 0;
    if (code != SQLITE_OK) return sql_complaint(path, raw, code);
    if (first && !out.locked()) all[file].left = read_log_index(followed_path(path) + "-shm");
  }
  // SQLite takes a file of a few bytes for an empty database and writes over it.
  if (fs::file_size(path, ignored) > 0 && out.bytes(0, kSignature.size()) != kSignature)
    return Diagnostic{path, 0, "", kNoDatabase};
  sqlite3_busy_timeout(raw, kPatienceMilliseconds);
  // The file may be damaged or somebody's bait.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Diagnostics errors = out.execute("PRAGMA cell_size_check = ON"); !errors.empty()) return errors;
  return out;
}

Result<SqlStatement> SqlDatabase::prepare(std::string_view sql) const {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), 0, &raw, nullptr);
  SqlStatement out;
  out.statement_.reset(raw);
  out.path_ = path_;
  if (code != SQLITE_OK) return sql_complaint(path_, database_.get(), code);
  return out;
}

Diagnostics SqlDatabase::execute(const std::string& sql) const {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Diagnostics{} : Diagnostics{sql_complaint(path_, database_.get(), code)};
}

Result<u64> SqlDatabase::number(std::string_view sql) const {
  Result<SqlStatement> statement = prepare(sql);
  const Result<bool> row = statement ? statement->next() : statement.errors();
  if (!row) return row.errors();
  return *row ? statement->integer(0) : u64{0};
}

Result<std::string> SqlDatabase::word(std::string_view sql) const {
  Result<SqlStatement> statement = prepare(sql);
  const Result<bool> row = statement ? statement->next() : statement.errors();
  if (!row) return row.errors();
  return *row ? statement->text(0) : std::string();
}

SqlStatement& SqlDatabase::kept(const std::string& sql) {
  SqlStatement& out = kept_[sql];
  if (out.statement_) return out;
  if (Result<SqlStatement> ready = prepare(sql)) out = *std::move(ready);
  else out.bound(sqlite3_extended_errcode(database_.get()));
  return out;
}

void SqlDatabase::close() {
  kept_.clear();
  database_.reset();
}

void SqlDatabase::end_when(const std::atomic<bool>* stop) const {
  const auto asked = [](void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; };
  sqlite3_progress_handler(database_.get(), kStepsBetweenLooks, stop ? +asked : nullptr,
                           const_cast<std::atomic<bool>*>(stop));
}

bool SqlDatabase::lock() {
  sqlite3_file* file = file_of(database_.get());
  for (const int level : {SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED})
    if (file->pMethods->xLock(file, level) != SQLITE_OK) return false;
  return true;
}

bool SqlDatabase::locked() const {
  int out = 0;
  sqlite3_file* file = file_of(database_.get());
  return file->pMethods->xCheckReservedLock(file, &out) == SQLITE_OK && out != 0;
}

std::string SqlDatabase::bytes(u64 from, int count) const {
  std::string out(at(count), '\0');
  sqlite3_file* file = file_of(database_.get());
  return file->pMethods->xRead(file, out.data(), count, static_cast<sqlite3_int64>(from)) == SQLITE_OK ? out : "";
}

Diagnostics SqlDatabase::still_there() const {
  const bool same = database_ && FileIdentity::of(path_).clashes_with(database_.get_deleter().file);
  const char* what = !same                                       ? "was removed or replaced"
                     : bytes(0, kSignature.size()) != kSignature ? "was emptied or written over"
                                                                 : nullptr;
  if (what == nullptr) return {};
  return {{path_, 0, "",
           fmt::format("{} by another program while this one wrote into it: what was written last is lost; sweep into "
                       "a new file, or restore a copy and go on with --resume",
                       what)}};
}

std::optional<std::string> SqlDatabase::lost_rows() const {
  LeftLog left;
  {
    const std::lock_guard guard(OpenFiles::all().mutex);
    left = std::exchange(OpenFiles::all()[database_.get_deleter().file].left, {});
  }
  if (left.pages == 0) return std::nullopt;
  const Result<std::string> mode = word("PRAGMA journal_mode");
  if (!mode || *mode != "wal") return std::nullopt;
  sqlite3_file* file = file_of(database_.get());
  void volatile* index = nullptr;
  if (file->pMethods->xShmMap(file, 0, kIndexPart, 0, &index) != SQLITE_OK || index == nullptr) return std::nullopt;
  u32 taken = 0;
  std::memcpy(&taken, static_cast<const char*>(const_cast<const void*>(index)) + kPages, sizeof taken);
  if (taken >= left.pages || (taken == 0 && left.in_file >= left.pages)) return std::nullopt;
  return fmt::format(
      "{}: {} of the {} pages of its log {}-wal are missing or damaged: rows that were written last are lost; --resume "
      "searches them again",
      path_, left.pages - taken, left.pages, path_);
}

}  // namespace heliolite
