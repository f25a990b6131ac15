#pragma once
// What the program reads and what it is going to write: no file is both, none is written twice, no database is
// written over. Every door through which files are read (text, records, databases) asks here, so a file that another
// file names is as safe as one from the command line.
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file_identity.h"
#include "engine/base/result.h"

namespace heliolite {

// All member functions may be called from several threads at once.
class FileClaims {
 public:
  // What the doors ask. Who claims no outputs, as a program that uses the library, reads whatever it likes.
  static FileClaims& of_program();

  // Tables go to standard output, notes to standard error: the files they are directed to are nobody else's.
  Diagnostics claim_standard_streams();
  // `option` is going to write `target`, "-" being standard output. Errors: another option writes it, it has been read,
  // it is a database of SQLite or a side file of one.
  Diagnostics claim(const std::string& option, const std::string& target);
  // The same questions just before `option` writes: what has been read since, what was put there meanwhile.
  Diagnostics recheck(std::string_view option) const;

  std::optional<std::string> target(std::string_view option) const;  // none: the option claimed nothing
  bool takes_stdout() const;                                         // whether the target of an option is "-"

  // Before a file is read. Error if it is going to be written.
  Diagnostics read(const std::string& path);
  // Before a database is opened, to read or to write. Its side files (-wal, .lock, ..) go with it.
  Diagnostics use_database(const std::string& path);

 private:
  struct Claim {
    std::string option, target;
    std::optional<int> descriptor;  // it writes to this one, which the program was given
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
  std::map<std::string, Input> inputs_;  // by path as given
};

// Whether the file begins as databases of SQLite and their journals do.
bool is_sqlite_file(const std::string& path);

}  // namespace heliolite
