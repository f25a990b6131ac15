#pragma once
// What `check` finds out about one file.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "cli/convert/recognise.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"

namespace heliolite::cli {

// The machines and workloads among checked files, each read once, with which constraints, mappings and schedules are
// tried: nearest files first, and so few for each that the time grows with the number of files and not with its square.

class CheckPartners {
 public:
  explicit CheckPartners(ReadOptions reading) : reading_(std::move(reading)) {}

  // What -a and -w name is `given`: what does not suit it is refused. Each is read when it is first tried.
  void add_machine(const std::string& path, bool given = false);
  void add_workload(const std::string& path, bool given = false);

  const ReadOptions& reading() const { return reading_; }
  bool any_given() const { return given_; }

  // Reads a mapping, a schedule or constraints with one partner after the other until one suits.
  struct Answer {
    std::string with;    // the one that suits, or whose complaints are fewest; "" when there is none to try
    Diagnostics errors;  // empty: it suits
  };
  Answer try_mapping(const std::string& path);
  Answer try_schedule(const std::string& path);
  Answer try_constraints(const std::string& path);

 private:
  template <class T>
  struct Partner {
    std::string path;
    std::optional<Result<T>> read{};
  };
  template <class T>
  using Partners = std::vector<std::shared_ptr<Partner<T>>>;
  template <class T>
  struct Known {
    Partners<T> given{}, all{};
    std::map<std::string, Partners<T>> in_folder{};
  };

  template <class T>
  void add(Known<T>& known, const std::string& path, bool given);
  // Partners that were given, then those in the folder of `path`, then in the ones around it, then all others.
  template <class T>
  static Partners<T> nearest(const Known<T>& known, const std::string& path, std::size_t most);
  const Result<Architecture>& read(Partner<Architecture>& machine) const;
  const Result<Network>& read(Partner<Network>& workload);
  // Calls attempt(inputs, path of the workload, with, best) for the machines near the file with each of these workloads
  // until it returns true.
  template <class Attempt>
  Answer try_pairs(const std::string& path, const Partners<Network>& workloads, Attempt&& attempt);
  // Workloads with a layer whose sizes are the products of the mapping's factors.
  Partners<Network> of_sizes(const std::string& sizes);

  ReadOptions reading_;
  Known<Architecture> machines_;
  Known<Network> workloads_;
  std::map<std::string, Partners<Network>> by_sizes_;  // [sizes of a layer], of the first `indexed_` workloads
  std::size_t indexed_ = 0;
  bool given_ = false;
};

enum class CheckState : u8 {
  Read,        // a command can use it
  Recognised,  // told by its content; only its own command reads it
  Waits,       // needs a machine or a workload that was not among the files
  Refused,     // with the reasons
  NotOurs,     // no file of ours or of Timeloop
};

inline constexpr std::size_t kCheckStates = 5;
std::string_view name(CheckState state);  // "read", "recognised", "waits", "refused", "not ours"

struct CheckedFile {
  std::string path;
  std::vector<Part> parts;
  CheckState state = CheckState::NotOurs;
  Diagnostics why;   // Refused, Waits: why
  std::string with;  // the machine and workload that constraints or a mapping were read with
};

// Reads everything that can be read by itself. What needs partners waits.
CheckedFile check_file(const std::string& path, const ReadOptions& reading = {});

// Reads a file that waits with one of the partners after the other until one suits it. If none of those that were given
// does, it is refused with the complaints of the one that has fewest; where none was given it still waits.
void check_with(CheckPartners& partners, CheckedFile& file);

// The files of a path: itself, or all regular files in a folder and below, in order; hidden ones are left out.
std::vector<std::string> files_of(const std::string& path);

}  // namespace heliolite::cli
