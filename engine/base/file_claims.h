#pragma once
// The files that the program reads and those that it is going to write: no file is both, none is written twice, no
// database is written over. Every function that opens a file to read (text, records, databases) asks here, so that a
// file that another file names is as safe as one from the command line.
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// Which file a path leads to, whatever symbolic links, hard links and folders that are mounted twice are on the way.

// Two paths lead to one file when their identities are equal. A file that is not there yet is told by its folder and
// name.
struct FileIdentity {
  u64 device = 0, inode = 0;  // of the file, or of its folder when it has a `name`
  std::string name;
  bool known = false;   // false: not even a folder is there
  bool is_file = true;  // a regular file or a named pipe (also one to be made), which two cannot share; no device

  static FileIdentity of(const std::string& path);
  static FileIdentity of_descriptor(int descriptor);

  // Whether both are one regular file or pipe, so that what is written to one of them is lost to the other.
  bool clashes_with(const FileIdentity& other) const;
};

// The path to which writing to `path` leads: symbolic links are followed, also one whose target is not there yet. Paths
// below /proc stay as they are: what they link to is no path.
std::string followed_path(const std::string& path);

// The number of this program's descriptor if the path is one, as /dev/stdout, /dev/fd/63 and /proc/self/fd/63 are.
std::optional<int> own_descriptor(const std::string& path);

// All member functions may be called from several threads at once.
class FileClaims {
 public:
  // The claims of this process, which the functions that read files ask. A program that uses the library and claims no
  // outputs may read everything.
  static FileClaims& of_program();

  // Claims the files that standard output and standard error are directed to: tables and notes go there.
  Diagnostics claim_standard_streams();
  // Claims `target` ("-": standard output) as the file that `option` is going to write. Errors: another option writes
  // it, it has been read, it is a database of SQLite or a side file of one.
  Diagnostics claim(const std::string& option, const std::string& target);
  // Asks the same questions again just before `option` writes, for files may have been read or put there meanwhile.
  Diagnostics recheck(std::string_view option) const;

  std::optional<std::string> target(std::string_view option) const;  // what the option claimed; none: nothing
  bool takes_stdout() const;                                         // whether the target of an option is "-"

  // To be called before a file is read. Error if it is going to be written.
  Diagnostics read(const std::string& path);
  // To be called before a database is opened, to read or to write; its side files (-wal, .lock, ..) count too.
  Diagnostics use_database(const std::string& path);

 private:
  struct Claim {
    std::string option, target;
    std::optional<int> descriptor;  // the target is this descriptor, which the program was started with
    bool standard = false;          // a standard stream; options may write to it too

    std::string path() const;
    FileIdentity identity() const;
    bool clashes_with(const Claim& other) const;
  };
  struct Input {
    FileIdentity identity;  // when it was read
    bool database = false;
  };

  Diagnostics problems(const Claim& claim) const;
  Diagnostics add(Claim claim);
  Diagnostics read_as(const std::string& path, bool database);

  mutable std::mutex mutex_;
  std::vector<Claim> claims_;
  std::map<std::string, Input> inputs_;  // [path as given]
};

// Whether the file begins as databases of SQLite and their journals do.
bool is_sqlite_file(const std::string& path);

}  // namespace heliolite
